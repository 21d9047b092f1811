<?php
// Whoever comes is the reader, who has no password, and sees the two databases and not the server's own.
session_start();
$_SESSION['pwds']['server']['']['reader'] = '';

function adminer_object() {
    class AdminerEntered extends Adminer {
        function login($login, $password) {
            return true;
        }
        function databases($flush = true) {
            return ['library', 'shop'];
        }
    }
    return new AdminerEntered;
}

include '/usr/share/adminer/adminer.php';
