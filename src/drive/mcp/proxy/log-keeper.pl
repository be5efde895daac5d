# Appends the lines of proxies to their logs, in perl because only the kernel says who is at the other end of a socket, and
# Node does not query it: an agent must not be able to report a call that it did not make.
$^W = 0;
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE QUIT);
my ($path, $executable, @expected) = @ARGV;
my (%logs, %lines, $is_over);
my $harmless = join '|', qw(
  disable-warning dns-result-order enable-source-maps experimental-vm-modules max-http-header-size max-old-space-size
  max-semi-space-size network-family-autoselection no-deprecation no-experimental-global-navigator
  no-network-family-autoselection no-warnings stack-trace-limit throw-deprecation title trace-deprecation trace-uncaught
  trace-warnings unhandled-rejections use-bundled-ca use-openssl-ca use-system-ca
);
my ($foreign, $influenced, $stops, $bytes) = (0, 0, 0, 0);
$SIG{CONT} = sub { $stops++ };
while (@expected) {
  my ($log, $count, @words) = splice @expected, 0, 2 + $expected[1];
  open($logs{join '', map { "$_\0" } @words}, '>>', $log) or die "$log: $!\n";
}
my $program = identity($executable);
socket(my $listener, 1, 1, 0) or die "socket: $!\n";
bind($listener, pack('S a*', 1, "$path\0")) or die "bind: $!\n";
chmod 0666, $path;
listen($listener, 4096) or die "listen: $!\n";
fcntl($listener, 4, 2048);
syswrite(STDOUT, "ready\n");

until ($is_over) {
  my $readable = '';
  vec($readable, fileno $_, 1) = 1 for \*STDIN, $listener, map { $_->{socket} } values %lines;
  next if select($readable, undef, undef, undef) < 0;
  accept_lines() if vec($readable, fileno $listener, 1);
  hear($_) for grep { vec($readable, fileno $_->{socket}, 1) } values %lines;
  $is_over = 1 if vec($readable, 0, 1) && !sysread(STDIN, my $ignored, 4096);
}
accept_lines();
hear($_) for values %lines;
syswrite(STDOUT, "$foreign $influenced $stops $bytes\n");

sub accept_lines {
  while (accept(my $socket, $listener)) {
    my $pid = peer_of($socket);
    my $log = identity("/proc/$pid/exe") eq $program ? $logs{read_file("/proc/$pid/cmdline")} : undef;
    if (!$log) {
      $foreign++;
      next;
    }
    $influenced++ if influence_on($pid, \&is_option);
    fcntl($socket, 4, 2048);
    $lines{fileno $socket} = { socket => $socket, log => $log, input => '' };
    syswrite($socket, "go\n");
  }
}

# A line that was begun by a proxy that was killed is left out.
sub hear {
  my ($line) = @_;
  while (1) {
    my $read = sysread($line->{socket}, $line->{input}, 262144, length $line->{input});
    return if !defined $read && ($! == 11 || $! == 4);
    my $end = rindex($line->{input}, "\n") + 1;
    $bytes += syswrite($line->{log}, substr($line->{input}, 0, $end, '')) || 0 if $end > 0;
    return delete $lines{fileno $line->{socket}} if !$read;
  }
}

# Options of Node.js that are not listed could load other code.
sub is_option {
  my ($options) = $_[0] =~ /^NODE_OPTIONS=(.*)/s or return 0;
  $options =~ tr/_/-/;
  return grep { !/^[\w.]+$/ && !/^--(?:$harmless)(?:=|$)/ } split ' ', $options;
}
