# Pages of the manual, which is read as JSON, posted as a form posts them, at moments of the last months.
#
#     seed.pl CONFIG
use strict;
use warnings;
no warnings 'once';
use JSON::PP;
my $moment;
BEGIN { *CORE::GLOBAL::time = sub { $moment // CORE::time() } }
{
    local $_ = 'nocgi';
    do '/usr/lib/cgi-bin/wiki.pl' or die $@ || $!;
}

my @people = qw(AdaLind BelaFarkas CarlaRossi DmitriOrlov EdithBaker FemiOjo);
my @docs = map { decode_json($_) } <STDIN>;
my $start = int(CORE::time() / 86400) * 86400 - 170 * 86400;
eval 'package UseModWiki; ' . do { local (@ARGV, $/) = $ARGV[0]; <> } . '1' or die $@;
{ no warnings 'redefine'; *UseModWiki::ReBrowsePage = sub { }; }
UseModWiki::InitLinkPatterns();

sub name {
    my ($text) = @_;
    return join '', map { ucfirst lc } $text =~ /[A-Za-z0-9]+/g;
}

sub saved {
    my ($id, $text, $when, $who, $summary, $minor) = @_;
    utf8::encode($_) for $text, $summary;
    $moment = $when;
    $ENV{REMOTE_ADDR} = '10.0.0.' . $who;
    $ENV{SCRIPT_NAME} = '/wiki.pl';
    CGI::initialize_globals();
    UseModWiki::InitRequest();
    UseModWiki::OpenPage($id);
    UseModWiki::OpenDefaultText();
    my $q = CGI->new({ text => $text, title => $id, summary => $summary, oldtime => $UseModWiki::Section{ts}, username => $people[$who], $minor ? (recent_edit => 'on') : () });
    $UseModWiki::q = $q;
    $UseModWiki::OpenPageName = '';
    UseModWiki::DoPost();
}

my (@pages, %known);
for my $number (0 .. $#docs) {
    my $doc = $docs[$number];
    # A word run together: PerlFaq1 is one, Perl is none.
    my $own = 'Manual' . ucfirst $doc->{name};
    my @parts = @{ $doc->{sections} };
    my @subs = $number < 60 ? grep { length > 3 } map { substr name($_->{heading}), 0, 30 } @parts[1 .. ($#parts < 2 ? $#parts : 2)] : ();
    push @pages, [$own, $doc->{title}, [@parts[0 .. ($#parts < 1 ? $#parts : 1)]], [map { "/$_" } @subs], $number];
    push @pages, [ "$own/$subs[$_]", "$doc->{name}: $parts[$_ + 1]{heading}", [$parts[$_ + 1]], [], $number ] for 0 .. $#subs;
}
@pages = grep { !$known{ $_->[0] }++ } @pages;
$#pages = 189 if $#pages > 189;
my @names = map { $_->[0] } @pages;

for my $number (0 .. $#pages) {
    my ($id, $title, $parts, $subs, $doc) = @{ $pages[$number] };
    my @links = map { $names[ ($number * $_ + 1) % @names ] } (3, 7)[0 .. $number % 2];
    my $turns = 1 + $number * $number % 6;
    for my $turn (0 .. $turns - 1) {
        my $text = "$title.\n\n";
        for my $part (@$parts) {
            my @said = @{ $part->{paragraphs} };
            @said = @said[0 .. ($turn + 1 < $#said ? $turn + 1 : $#said)];
            shift @said if $turn % 2 && $turn + 1 < $turns && @said > 1;
            $text .= "== $part->{heading} ==\n" . join("\n\n", map { substr $_, 0, 1500 } @said) . "\n\n";
        }
        $text .= "----\n" . join("\n", map { "* [[$_]]" } @links) . "\n" . join('', map { "* $_\n" } @$subs);
        $text .= "Written by $people[$number % 6] and $people[($number + $turn) % 6]\n";
        saved($id, $text, $start + $number * 72000 + $turn * 150000, ($number + $turn) % 6, $turn ? "more on $title" : 'first words', $turn % 4 == 2);
    }
}
for my $who (0 .. 3) {
    saved($people[$who], "Looks after the manual.\n" . join('', map { "* [[$_]]\n" } @names[ grep { $_ % 12 == $who } 0 .. $#names ]), $start + $who * 4000, $who, '', 0);
}
my $front = "All of the manual.\n\n" . join('', map { "* [[$_]]\n" } grep { !m{/} } @names) . "\nSee also RecentChanges.\n";
saved('HomePage', $front, $start, 0, 'the first page', 0);
saved('RecentChanges', "What was changed:\n", $start, 0, '', 0);
