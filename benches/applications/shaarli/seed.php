<?php
// 600 bookmarks of the manual's sections, which it reads as JSON, with one to four tags; each seventh is a note, and some have no tag.
require 'autoload.php';
require_once 'application/bookmark/LinkUtils.php';
require_once 'application/http/HttpUtils.php';
require_once 'application/http/UrlUtils.php';
require_once 'application/Utils.php';

use malkusch\lock\mutex\NoMutex;
use Shaarli\Bookmark\Bookmark;
use Shaarli\Bookmark\BookmarkFileService;
use Shaarli\Config\ConfigManager;
use Shaarli\History;
use Shaarli\Languages;

const TAGS = ['syntax', 'regex', 'unicode', 'build', 'modules', 'objects', 'threads', 'debugging', 'input', 'output', 'numbers', 'strings', 'hashes', 'arrays',
    'files', 'history', 'platforms', 'testing', 'references', 'scope', 'signals', 'sorting', 'time', 'network'];

$sections = [];
while ($line = fgets(STDIN)) {
    $doc = json_decode($line, true);
    foreach ($doc['sections'] as $section) {
        $sections[] = [$doc['name'], $section['heading'], $section['paragraphs']];
    }
}
$config = new ConfigManager();
new Languages('en_US', $config);
$service = new BookmarkFileService($config, new History($config->get('resource.history')), new NoMutex(), true);
foreach ($service->search([], 'all') as $one) {
    $service->remove($one, false);
}
for ($number = 0; $number < 600; $number++) {
    [$name, $heading, $paragraphs] = $sections[$number * 31 % count($sections)];
    $tags = [];
    for ($step = 0; $step < ($number % 23 ? 1 + $number % 4 : 0); $step++) {
        $tags[] = TAGS[($number * 5 + $step * $step * 7 + intdiv($number, 24)) % count(TAGS)];
    }
    $bookmark = new Bookmark();
    $bookmark->setUrl($number % 7 ? "https://manual.example.org/$name#$number" : '');
    $bookmark->setTitle("$name: $heading");
    $bookmark->setDescription(mb_substr(implode("\n\n", array_slice($paragraphs, 0, 2)), 0, 600));
    $bookmark->setTags(array_values(array_unique($tags)));
    $bookmark->setCreated(new DateTime('2024-02-01 08:00:00 UTC +' . $number * 29 . ' hours'));
    $bookmark->setSticky($number % 200 == 0);
    $service->add($bookmark, false);
}
$service->save();
