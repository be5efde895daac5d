# Appends the lines of proxies to their logs, in perl because only the kernel says who is at the other end of a socket, and
# Node does not query it: an agent must not be able to report a call that it did not make.
$^W = 0;
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE QUIT);
my ($path, $executable, @expected) = @ARGV;
my (%logs, %lines, $is_over);
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

sub identity {
  my @stat = stat $_[0];
  return @stat ? "$stat[0]:$stat[1]" : '';
}

sub accept_lines {
  while (accept(my $socket, $listener)) {
    my $pid = unpack('l', getsockopt($socket, 1, 17) || pack('l', 0));
    my $log = identity("/proc/$pid/exe") eq $program ? $logs{read_file("/proc/$pid/cmdline")} : undef;
    if (!$log) {
      $foreign++;
      next;
    }
    $influenced++ if is_influenced($pid);
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

sub is_influenced {
  my ($pid) = @_;
  return 1 if read_file("/proc/$pid/status") =~ /^TracerPid:\s*[1-9]/m;
  for my $variable (split /\0/, read_file("/proc/$pid/environ")) {
    return 1 if $variable =~ /^NODE_OPTIONS=.*(?:-r\b|--(?:require|import|(?:experimental-)?loader|inspect))/s;
    next if $variable !~ /^LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)=(.+)/s;
    return 1 if grep { length && !m{^/(usr|lib|lib64|opt|nix/store)/} } split /[: ]/, $1;
  }
  return 0;
}

sub read_file {
  open(my $file, '<:unix', $_[0]) or return '';
  my $text = '';
  1 while sysread($file, $text, 65536, length $text);
  return $text;
}
