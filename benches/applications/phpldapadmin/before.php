<?php
// Without a session each page leads back to the first one: everybody has the session that the first visit to that one made, and none keeps what is done in it.
class FirstVisit implements SessionHandlerInterface {
    private string $file;
    function open($path, $name): bool {
        $this->file = "$path/first";
        return true;
    }
    function read($id): string|false {
        return (string) @file_get_contents($this->file);
    }
    function write($id, $data): bool {
        return file_exists($this->file) || file_put_contents($this->file, $data) !== false;
    }
    function close(): bool {
        return true;
    }
    function destroy($id): bool {
        return true;
    }
    function gc($lifetime): int|false {
        return 0;
    }
}
session_set_save_handler(new FirstVisit, true);
