# The programs of a guide at an address each. Each request is answered by a process of its own, as a web server would have it, but of one that has read what they need.
use strict;
use warnings;
use CGI;
use CGI::Emulate::PSGI;
use CGI::Parse::PSGI qw(parse_cgi_output);
use OpenGuides;
use OpenGuides::CGI;
use OpenGuides::JSON;
use OpenGuides::RDF;
use OpenGuides::Search;
use OpenGuides::Template;
use Plack::App::File;
use Plack::Builder;
use Wiki::Toolkit::Search::Plucene;
use Wiki::Toolkit::Store::SQLite;

sub answer {
    my ($program, $env) = @_;
    pipe my $told, my $tells or die "$!";
    my $pid = fork // die "$!";
    if (!$pid) {
        %ENV = (%ENV, CGI::Emulate::PSGI->emulate_environment($env));
        open STDOUT, ">&", $tells or die "$!";
        do $program;
        exit;
    }
    close $tells;
    my $output = do { local $/; <$told> };
    waitpid $pid, 0;
    return parse_cgi_output(\$output);
}

builder {
    for my $program (qw(wiki search newpage preferences)) {
        mount "/$program.cgi" => sub { answer("/usr/lib/cgi-bin/openguides/$program.cgi", @_) };
    }
    mount "/static" => Plack::App::File->new(root => "/usr/share/openguides/static")->to_app;
    mount "/" => sub { [302, [Location => "/wiki.cgi"], []] };
};
