# Receives the calls of the recorders, in perl because only the kernel says who is at the other end of a socket, and Node
# does not query it. It answers a call at once, however busy Assay is, and passes on what it received. Its input begins with
# the executables that it writes before anything else, and is closed when nothing more will come.
$^W = 0;
$SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE QUIT);
my ($path, $perl, $sendmsg, $checks, $files, @shims) = @ARGV;
my ($start_limit, $end_limit, $line_limit, $output_limit) = (69632, 73728, 1024, 1 << 26);
my (%shims, %lines, %callers, @ends, $next, $output, $dropped, $foreign, $is_over);
my $stops = 0;
$SIG{CONT} = sub { $stops++ };
($next, $output, $dropped, $foreign) = (0, '', 0, 0);
my $nonblock = $^O eq 'linux' ? 2048 : 4;
write_executable() for 1 .. $files;
while (@shims) {
  my ($shim, $name, $words, $program) = splice @shims, 0, 4;
  open(my $handle, '<', $program) if $program ne '';
  $shims{$shim} = { name => $name, words => $words, program => $handle, file => identity($shim) };
}
my $perl_file = identity($perl);
socket(my $listener, 1, 1, 0) or die "socket: $!\n";
my $address = $^O eq 'linux' ? pack('S a*', 1, "$path\0") : pack('CC a*', 2 + length $path, 1, $path);
bind($listener, $address) or die "bind: $!\n";
chmod 0666, $path;
listen($listener, 4096) or die "listen: $!\n";
fcntl($_, 4, $nonblock) for $listener, \*STDOUT;
emit('R', 0, '');

until ($is_over && !length $output) {
  my ($readable, $writable) = ('', '');
  if (!$is_over) {
    vec($readable, fileno $_->{socket}, 1) = 1 for values %lines;
    vec($readable, fileno $listener, 1) = 1;
    vec($readable, 0, 1) = 1;
  }
  vec($writable, 1, 1) = 1 if length $output;
  next if select($readable, $writable, undef, undef) < 0;
  flush_output() if vec($writable, 1, 1);
  next if $is_over;
  accept_lines() if vec($readable, fileno $listener, 1);
  hear($_) for grep { vec($readable, fileno $_->{socket}, 1) } values %lines;
  emit_ends();
  finish() if vec($readable, 0, 1) && !sysread(STDIN, my $ignored, 4096);
}

sub write_executable {
  my ($path_length, $length) = unpack('NN', take(8));
  my ($file, $content) = (take($path_length), take($length));
  open(my $handle, '>', $file) or die "$file: $!\n";
  (print {$handle} $content) && close($handle) && chmod(0755, $file) or die "$file: $!\n";
}

sub take {
  my ($length) = @_;
  my $bytes = '';
  while (length $bytes < $length) {
    sysread(STDIN, $bytes, $length - length $bytes, length $bytes) or die "its input ended early\n";
  }
  return $bytes;
}

sub emit {
  my ($kind, $call, $content) = @_;
  if (length($output) + length $content > $output_limit) {
    $dropped++;
    return;
  }
  $output .= $kind . pack('NN', $call, length $content) . $content;
  flush_output();
}

sub flush_output {
  while (length $output) {
    my $written = syswrite(STDOUT, $output);
    if (!defined $written) {
      exit 0 if $! == 32;
      return;
    }
    substr($output, 0, $written, '');
  }
}

sub accept_lines {
  while (accept(my $socket, $listener)) {
    if (keys %lines >= $line_limit && !drop_silent_line()) {
      $foreign++;
      close $socket;
      next;
    }
    fcntl($socket, 4, $nonblock);
    my $call = ++$next;
    $lines{$call} = { call => $call, socket => $socket, input => '', pid => $checks ? peer_of($socket) : 0 };
  }
}

sub drop_silent_line {
  my ($oldest) = sort { $a->{call} <=> $b->{call} } grep { !$_->{started} } values %lines;
  return 0 if !$oldest;
  refuse($oldest);
  return 1;
}

sub hear {
  my ($line) = @_;
  while (1) {
    my $read = sysread($line->{socket}, $line->{input}, 65536, length $line->{input});
    if (!defined $read) {
      return if $! == 11 || $! == 35 || $! == 4;
      $read = 0;
    }
    understand($line) if length $line->{input};
    return if !$lines{$line->{call}};
    return hang_up($line) if !$read;
  }
}

sub understand {
  my ($line) = @_;
  while (length $line->{input} >= 9) {
    my ($kind, $sent, $total) = unpack('a N N', $line->{input});
    my $expected = $line->{started} ? 'E' : 'S';
    my $limit = $line->{started} ? $end_limit : $start_limit;
    return refuse($line) if $kind ne $expected || $sent > $limit;
    return if length $line->{input} < 9 + $sent;
    my $content = substr($line->{input}, 9, $sent);
    substr($line->{input}, 0, 9 + $sent, '');
    if ($kind eq 'E') {
      my ($took, $waited) = (split /\0/, $content)[3, 11];
      push @ends, { call => $line->{call}, content => $content, at => $line->{began} + $waited + $took };
      return forget($line);
    }
    start_call($line, $content, $total) or return;
  }
}

sub start_call {
  my ($line, $content, $total) = @_;
  my ($shim, $doubt) = $checks ? check($line->{pid}, $content) : (claimed_shim($content), '');
  return refuse($line) if !$shim;
  my $nested = !$checks ? '' : is_nested($line->{pid}) ? 1 : 0;
  $line->{started} = 1;
  (undef, undef, $line->{began}) = split /\0/, $content, 4;
  $callers{$line->{pid}} = $line->{call} if $checks;
  answer($line, $shim->{program});
  emit('S', $line->{call}, join("\0", $nested, $doubt, $total, $content));
  return 1;
}

sub emit_ends {
  emit('E', $_->{call}, $_->{content}) for sort { $a->{at} <=> $b->{at} } splice @ends;
}

sub answer {
  my ($line, $program) = @_;
  return syswrite($line->{socket}, 'g') if !$program;
  my $byte = 'g' . '';
  my $control = pack('Q l l l x4', 20, 1, 1, fileno $program);
  my $vector = pack('P Q', $byte, 1);
  my $message = pack('x16 P Q P Q x8', $vector, 1, $control, 24);
  syscall($sendmsg, fileno $line->{socket}, $message, 0);
}

sub refuse {
  my ($line) = @_;
  $foreign++;
  if ($line->{started}) {
    emit('C', $line->{call}, '');
  } else {
    syswrite($line->{socket}, 'n');
  }
  forget($line);
  return;
}

sub hang_up {
  my ($line) = @_;
  emit('C', $line->{call}, '') if $line->{started};
  $foreign++ if !$line->{started};
  forget($line);
}

sub forget {
  my ($line) = @_;
  delete $callers{$line->{pid}} if ($callers{$line->{pid}} || 0) == $line->{call};
  close $line->{socket};
  delete $lines{$line->{call}};
}

sub finish {
  accept_lines();
  hear($_) for values %lines;
  emit_ends();
  emit('C', $_->{call}, '') for grep { $_->{started} } values %lines;
  $is_over = 1;
  my $counts = join("\0", $foreign, $dropped, $stops);
  $output .= 'F' . pack('NN', 0, length $counts) . $counts;
  flush_output();
}

sub check {
  my ($pid, $content) = @_;
  return if !$pid || identity("/proc/$pid/exe") ne $perl_file;
  my (undef, $path, @words) = split /\0/, read_file("/proc/$pid/cmdline"), -1;
  pop @words;
  my $shim = $shims{$path} or return;
  return if identity("/proc/$pid/root$path") ne $shim->{file};
  my (undef, undef, undef, undef, $name, $arguments) = split /\0/, $content, 6;
  return if $name ne $shim->{name};
  my $real = join '', map { "$_\0" } @words[$shim->{words} .. $#words];
  return if substr($real, 0, length $arguments) ne $arguments;
  return if length $content < $start_limit && length $real != length $arguments;
  return ($shim, influence_on($pid, sub { $_[0] =~ /^PERL5(?:OPT|DB)=./ }));
}

sub claimed_shim {
  my (undef, undef, undef, undef, $name) = split /\0/, $_[0], 6;
  return (grep { $_->{name} eq $name } values %shims)[0];
}

sub is_nested {
  my ($pid) = @_;
  return 0 if !%callers;
  for (1 .. 64) {
    $pid = parent_of($pid) or return 0;
    return 1 if $callers{$pid};
  }
  return 0;
}
