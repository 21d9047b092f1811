<?php
// A blog of 260 posts about the manual, which is read as JSON, with some twelve hundred comments, by six people.
$_SERVER += ['HTTP_HOST' => "127.0.0.1:$argv[1]", 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET', 'REMOTE_ADDR' => '127.0.0.1'];
define('WP_INSTALLING', true);
require getcwd() . '/wp-config.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/taxonomy.php';
add_filter('pre_wp_mail', '__return_true');
wp_install('The manual, told', 'keeper', 'keeper@example.org', true, '', 'fixed-password');
foreach (['permalink_structure' => '', 'page_comments' => 1, 'comments_per_page' => 10, 'thread_comments' => 1, 'posts_per_page' => 10, 'template' => 'twentytwentyone',
    'stylesheet' => 'twentytwentyone', 'default_comments_page' => 'newest', 'blogdescription' => 'One section at a time'] as $name => $value) {
    update_option($name, $value);
}
$sections = [];
while ($line = fgets(STDIN)) {
    $doc = json_decode($line, true);
    foreach ($doc['sections'] as $section) {
        $sections[] = [$doc['name'], $section['heading'], $section['paragraphs']];
    }
}
$section = fn($number) => $sections[$number * 31 % count($sections)];
$start = gmmktime(8, 0, 0, 1, 9, 2022);
$people = [];
foreach (['Ada Lind', 'Bela Farkas', 'Carla Rossi', 'Dmitri Orlov', 'Edith Baker', 'Femi Ojo'] as $name) {
    $login = strtolower(strtok($name, ' '));
    $people[] = wp_insert_user(['user_login' => $login, 'user_pass' => 'fixed', 'user_email' => "$login@example.org", 'display_name' => $name, 'role' => 'author']);
}
$categories = [];
foreach (['Language', 'Library', 'Platforms', 'Internals', 'News'] as $name) {
    $categories[] = $top = wp_create_category($name);
    foreach ($name === 'News' ? [] : ['Basics', 'Details'] as $part) {
        $categories[] = wp_create_category("$name: $part", $top);
    }
}
$tags = ['syntax', 'regex', 'unicode', 'build', 'modules', 'objects', 'threads', 'debugging', 'input', 'output', 'numbers', 'strings', 'hashes', 'arrays', 'files',
    'history', 'platforms', 'testing'];
$posts = [];
foreach (range(0, 259) as $number) {
    [$doc, $heading, $paragraphs] = $section($number);
    $when = $start + $number * 61 * 3600;
    $body = array_map(fn($one) => '<p>' . esc_html(substr($one, 0, 1200)) . '</p>', array_slice($paragraphs, 0, 4));
    if ($posts && $number % 3) {
        $body[] = '<p>See <a href="' . get_permalink($posts[($number * 7919 >> 3) % count($posts)]) . '">what was said earlier</a>.</p>';
    }
    $posts[] = $post = wp_insert_post(['post_title' => substr("$heading ($doc)", 0, 150), 'post_status' => 'publish', 'post_author' => $people[$number * 7 % 6], 'post_date' => gmdate('Y-m-d H:i:s', $when),
        'post_content' => wp_slash(implode("\n", array_merge(array_slice($body, 0, 1), $number % 2 ? ['<!--more-->'] : [], array_slice($body, 1)))),
        'post_category' => array_unique([$categories[$number % 13], $categories[$number * 5 % 13]]),
        'tags_input' => array_map(fn($step) => $tags[($number * 5 + $step * 7) % 18], range(0, $number % 3))]);
    $said = [];
    for ($turn = 0, $turns = $number % 40 === 7 ? 34 : $number * $number % 11; $turn < $turns; $turn++) {
        $text = $section($number * 31 + $turn * 7 + 400)[2];
        $said[] = wp_insert_comment(['comment_post_ID' => $post, 'comment_author' => ['Greta', 'Hugo', 'Ines', 'Jan', 'Kim'][($number + $turn * $turn) % 5], 'comment_author_email' => 'someone@example.org',
            'comment_content' => wp_slash(substr($text[$turn % count($text)], 0, 600)), 'comment_approved' => 1, 'comment_parent' => $turn % 4 === 3 ? $said[$turn - 1] : 0,
            'comment_date' => gmdate('Y-m-d H:i:s', $when + ($turn + 1) * 5000), 'comment_date_gmt' => gmdate('Y-m-d H:i:s', $when + ($turn + 1) * 5000)]);
    }
}
foreach (['About', 'Contact', 'Books'] as $number => $title) {
    wp_insert_post(['post_type' => 'page', 'post_title' => $title, 'post_status' => 'publish', 'post_content' => wp_slash(implode("\n\n", array_slice($section($number + 600)[2], 0, 3)))]);
}
update_option('sidebars_widgets', ['wp_inactive_widgets' => [], 'sidebar-1' => ['search-2', 'recent-posts-2', 'recent-comments-2', 'archives-2', 'categories-2', 'tag_cloud-2', 'calendar-2', 'meta-2'], 'array_version' => 3]);
foreach (['search', 'recent-posts', 'recent-comments', 'archives', 'categories', 'tag_cloud', 'calendar', 'meta'] as $widget) {
    update_option("widget_$widget", [2 => ['title' => '', 'number' => 5, 'count' => 1, 'dropdown' => 0], '_multiwidget' => 1]);
}
