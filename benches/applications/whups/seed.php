<?php
// What those may see who have not entered, and sixteen queries for everybody.
require_once $argv[1] . '/www/lib/Application.php';
Horde_Registry::appInit('whups', ['authentication' => 'none', 'cli' => true, 'user' => 'Administrator']);
$perms = $injector->getInstance('Horde_Perms');
$names = ['horde', 'whups', 'whups:queues'];
for ($queue = 1; $queue <= 7; $queue++) $names[] = "whups:queues:$queue";
foreach ($names as $name) {
    $made = $injector->getInstance('Horde_Core_Perms')->newPermission($name);
    $made->addGuestPermission(Horde_Perms::SHOW | Horde_Perms::READ, false);
    $made->addDefaultPermission(Horde_Perms::SHOW | Horde_Perms::READ, false);
    $perms->addPermission($made);
}
$shares = $injector->getInstance('Horde_Core_Factory_Share')->create();
$base = $injector->getInstance('Horde_Db_Adapter');
function one($criterion, $value, $operator = Whups_Query::OPERATOR_EQUAL) {
    return ['type' => Whups_Query::TYPE_CRITERION, 'criterion' => $criterion, 'cvalue' => null, 'operator' => $operator, 'value' => $value];
}
$queries = [];
foreach (['bug', 'wish', 'question', 'text'] as $number => $type) $queries["all-of-$type"] = [one(Whups_Query::CRITERION_TYPE, $number + 1)];
foreach (['ada', 'bela', 'carla', 'dmitri', 'edith', 'femi'] as $who) $queries["of-$who"] = [one(Whups_Query::CRITERION_OWNERS, $who)];
foreach (['regex', 'unicode', 'module', 'file', 'string', 'variable'] as $word) $queries["about-$word"] = [one(Whups_Query::CRITERION_SUMMARY, $word, Whups_Query::OPERATOR_CI_SUBSTRING)];
foreach ($queries as $slug => $parts) {
    $share = $shares->newShare('Administrator', $slug, ucfirst(strtr($slug, '-', ' ')));
    $share->set('slug', $slug);
    $share->addGuestPermission(Horde_Perms::SHOW | Horde_Perms::READ);
    $share->addDefaultPermission(Horde_Perms::SHOW | Horde_Perms::READ);
    $shares->addShare($share);
    $share->save();
    $base->insert('INSERT INTO whups_queries (query_parameters, query_object, query_id) VALUES (?, ?, ?)',
        [serialize([]), serialize(['type' => Whups_Query::TYPE_AND, 'children' => $parts]), $share->getId()]);
}
