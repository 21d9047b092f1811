# Tickets about the manual: three queues, ninety tickets, correspondence and comments, some merged into others by links.
# seed.pl TEXTS
use strict;
use warnings;
use JSON;
use RT;
RT->LoadConfig;
RT->Config->Set(RecordOutgoingEmail => 0);
RT->Init;

my @sections;
open my $texts, '<', $ARGV[0] or die $!;
while (<$texts>) {
    my $doc = decode_json $_;
    push @sections, map { [ $doc->{name}, $_ ] } @{ $doc->{sections} };
}

sub told {
    my ($name, $section) = @{ $sections[ $_[0] * 17 % @sections ] };
    return (substr("$name: $section->{heading}", 0, 150), substr(join("\n\n", grep { defined } @{ $section->{paragraphs} }[0 .. 2]), 0, 1500));
}

my $system = RT->SystemUser;
my @people = map {
    my $user = RT::User->new($system);
    $user->Create(Name => $_, EmailAddress => "$_\@example.org", RealName => ucfirst, Privileged => 1);
    $user;
} qw(guest ada bela carla dmitri edith);

my $privileged = RT::Group->new($system);
$privileged->LoadSystemInternalGroup('Privileged');
$privileged->PrincipalObj->GrantRight(Right => $_, Object => RT->System)
    for qw(SeeQueue ShowTicket ShowTicketComments ShowOutgoingEmail SeeCustomField SeeGroup ShowSavedSearches LoadSavedSearch SeeDashboard);
# The guest reads; what a link changes is nothing that a guest may change.
for my $user (@people[ 1 .. 5 ]) {
    $user->PrincipalObj->GrantRight(Right => $_, Object => RT->System) for qw(OwnTicket CreateTicket ReplyToTicket CommentOnTicket ModifyTicket Watch);
}
# Without their letters.
my $scrips = RT::Scrips->new($system);
$scrips->UnLimit;
$_->SetDisabled(1) for @{ $scrips->ItemsArrayRef };

my @queues = map {
    my $queue = RT::Queue->new($system);
    $queue->Create(Name => $_, Description => "The manual's $_");
    $queue;
} qw(Guide Reference Questions);

my @tickets;
for my $number (0 .. 89) {
    my ($subject, $text) = told($number);
    my $author = RT::CurrentUser->new;
    $author->Load($people[ 1 + $number % 5 ]->Name);
    my $ticket = RT::Ticket->new($author);
    $ticket->Create(Queue => $queues[ $number % 3 ]->Id, Subject => $subject, Requestor => $people[ 1 + $number % 5 ]->EmailAddress,
                    Owner => ($number % 4 ? $people[ 1 + ($number + 2) % 5 ]->Id : RT->Nobody->Id), Priority => $number * 7 % 100,
                    MIMEObj => MIME::Entity->build(Subject => Encode::encode_utf8($subject), Type => 'text/plain', Charset => 'utf-8', Data => Encode::encode_utf8($text)));
    for my $turn (1 .. $number % 4) {
        my (undef, $said) = told(200 + $number * 3 + $turn);
        my $answer = MIME::Entity->build(Subject => 'Re', Type => 'text/plain', Charset => 'utf-8', Data => Encode::encode_utf8($said));
        $turn == 2 ? $ticket->Comment(MIMEObj => $answer) : $ticket->Correspond(MIMEObj => $answer);
    }
    $ticket->SetStatus((qw(new open stalled resolved rejected))[ $number % 5 ]);
    $ticket->AddLink(Type => (qw(RefersTo DependsOn MemberOf))[ $number % 3 ], Target => $tickets[ $number * 5 % @tickets ]->Id) if @tickets && $number % 6 == 0;
    push @tickets, $ticket;
}
