<?php
// The tables of Horde and its wiki, and what those may see who have not entered.
require_once $argv[1] . '/www/lib/Application.php';
Horde_Registry::appInit('wicked', ['authentication' => 'none', 'cli' => true, 'user' => 'Administrator']);
$perms = $injector->getInstance('Horde_Perms');
foreach (['horde', 'wicked', 'wicked:pages'] as $name) {
    $made = $injector->getInstance('Horde_Core_Perms')->newPermission($name);
    $made->addGuestPermission(Horde_Perms::SHOW | Horde_Perms::READ, false);
    $made->addDefaultPermission(Horde_Perms::SHOW | Horde_Perms::READ, false);
    $perms->addPermission($made);
}
