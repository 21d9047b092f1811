# Writes the versions that seed.py tells of.
use strict;
use warnings;
use JSON;
use OpenGuides;
use OpenGuides::Config;

my $guide = OpenGuides->new(config => OpenGuides::Config->new(file => $ENV{OPENGUIDES_CONFIG_FILE}));
my $wiki = $guide->wiki;
my $store = $wiki->store->dbh;
$store->do("PRAGMA synchronous = OFF");
my $now = int(time / 86400) * 86400 - 200 * 86400;
open my $lines, "<:encoding(UTF-8)", $ARGV[0] or die $!;
while (my $line = <$lines>) {
    my $page = JSON->new->decode($line);
    my %old = $wiki->retrieve_node($page->{name});
    my %known = %{ $page->{known} };
    my ($category, $locale) = (delete $known{categories} || [], delete $known{locales} || []);
    my %metadata = (
        %known, category => $category, locale => $locale, username => $page->{author}, comment => ($old{version} ? "more of it" : "new"),
        edit_type => "Normal edit", host => "192.0.2.7",
    );
    $wiki->write_node($page->{name}, $page->{text}, $old{checksum}, \%metadata) > 0 or die "not written: $page->{name}";
    my $day = do { my @at = gmtime($now + $page->{day} * 86400 + 40000); sprintf "%d-%02d-%02d %02d:%02d:%02d", $at[5] + 1900, $at[4] + 1, @at[3, 2, 1, 0] };
    my ($id) = $store->selectrow_array("SELECT id FROM node WHERE name = ?", undef, $page->{name});
    $store->do("UPDATE node SET modified = ? WHERE id = ?", undef, $day, $id);
    $store->do("UPDATE content SET modified = ? WHERE node_id = ? AND version = (SELECT version FROM node WHERE id = ?)", undef, $day, $id, $id);
}
