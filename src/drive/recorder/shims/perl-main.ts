/** Code of the perl shim until the tool has started; the rest is read while the tool starts. */
export const perlStart = String.raw`
@inherited = inherited_descriptors();
leave_standard_descriptors_alone() if $closed[0] || $closed[1] || $closed[2];
hold_signals();
open_streams();
my $called_at = now(1);
announce_call();
$began = now(1);
$waited = $linux ? $began - $called_at : '';
my $owner = $$;
$tool = fork;
if (!$tool) {
  if (defined $tool) {
    end_with($owner);
    give_streams();
  }
  release_signals();
  become_tool();
}
accompany_tool();

sub inherited_descriptors {
  my $path = $linux ? '/proc/self/fd' : '/dev/fd';
  opendir(my $folder, $path) or return ();
  my @open = grep { $_ > 2 } readdir $folder;
  closedir $folder;
  return grep { lstat "$path/$_" } @open;
}

sub become_tool {
  close_on_exec($_) for grep { $closed[$_] } 0 .. 2;
  $ENV{$caller_variable} = $called_by_tool if defined $ENV{$caller_variable};
  exec { $interpreter } $interpreter, @leading, @ARGV if $interpreter ne '';
  exec { $has_cover ? "/proc/self/fd/$real" : $program } $called, @ARGV;
  tell_that_tool_did_not_start();
}

sub now {
  return '' if !$linux;
  my $time = "\0" x 16;
  syscall($call{clock_gettime}, $_[0], $time);
  my ($seconds, $nanoseconds) = unpack('q2', $time);
  return $seconds * 1000 + $nanoseconds / 1e6;
}

sub announce_call {
  my $folder = readlink '/proc/self/cwd';
  $folder = current_folder() if !defined $folder;
  my $is_nested = ($ENV{$caller_variable} || '') eq $called_by_tool ? 1 : 0;
  my $content = join("\0", 1, $is_nested, now(0), $folder, $name, @ARGV) . "\0";
  $line = connected_line() or return;
  send_record('S', substr($content, 0, 69632), length $content);
  my $answer = '';
  vec(my $readable = '', fileno $line, 1) = 1;
  return if select($readable, undef, undef, $patience) <= 0;
  return sysread($line, $answer, 1) if !$has_cover;
  my ($byte, $control) = (pack('x1'), pack('x24'));
  my $vector = pack('P Q', $byte, 1);
  my $message = pack('x16 P Q P Q x8', $vector, 1, $control, 24);
  syscall($call{recvmsg}, fileno $line, $message, 0x40000000);
  my ($length, undef, $type, $descriptor) = unpack('Q l l l', $control);
  $real = $descriptor if $length == 20 && $type == 1;
}

sub connected_line {
  socket(my $socket, 1, 1, 0) or return;
  fcntl($socket, 4, $nonblock);
  return ready_line($socket) if connect($socket, $address);
  return $! == $eagain ? patient_line($socket) : undef;
}

sub ready_line {
  my ($socket) = @_;
  fcntl($socket, 4, 0);
  return $socket;
}

sub send_record {
  my ($kind, $content, $total) = @_;
  local $SIG{PIPE} = 'IGNORE';
  syswrite($line, $kind . pack('NN', length $content, $total) . $content);
}
`;

/** Code of the perl shim after the tool has started. */
export const perlMain = `
sub accompany_tool {
  syscall($call{prctl}, 4, 0) if $linux;
  let_go();
  watch_signals();
  my $status;
  until (defined $status) {
    copy_streams(!$signals ? 0.05 : $canary ? undef : 0.02);
    read_signals();
    pass_signals_on() if @noticed;
    if (waitpid($tool, 1) == $tool) {
      $status = $?;
    } elsif ($has_stopped && $has_terminal) {
      $has_stopped = 0;
      kill STOP => $$;
    } elsif ($signals && !$canary && now(1) > $began + 20) {
      set_canary();
    }
  }
  $took = $linux ? now(1) - $began : '';
  drain_streams();
  write_end($status);
  free_canary() if $canary;
  leave_copier() if live_streams();
  end_by_signal($status & 127) if $status & 127;
  leave($status >> 8);
}

sub close_descriptor {
  open(my $handle, '<&=', $_[0]) or return;
  close $handle;
}

sub let_go {
  close delete $_->{end} for grep { $_ && $_->{end} } @streams;
  close $_ for @standard;
  close_descriptor($_) for @inherited;
}

sub leave {
  syscall($call{exit_group}, $_[0]) if $linux;
  exit $_[0];
}

sub write_end {
  my ($status) = @_;
  return if !defined $line;
  my @end = $status & 127 ? ('signal', $status & 127) : ('exit', $status >> 8);
  my @fields = (1, @end, $took, kept($streams[1]), kept($streams[2]), $lost_reader ? '|' : '.', $waited);
  my $content = join('', map { "$_\0" } @fields);
  send_record('E', $content, length $content);
  close $line;
}
`;

/** The part that few calls need. */
export const perlRareMain = String.raw`
sub leave_standard_descriptors_alone {
  while (open(my $filler, '+<', '/dev/null')) {
    push @fillers, $filler;
    last if fileno $filler > 2;
  }
}

sub close_on_exec {
  open(my $handle, '<&=', $_[0]) or return;
  fcntl($handle, 2, 1);
}

sub tell_that_tool_did_not_start {
  my $code = $! == 2 && !$has_cover ? 127 : 126;
  my $reason = $has_cover && !defined $real ? 'the recorder of Assay does not answer' : $!;
  syswrite STDERR, "$name: $program cannot be started: $reason\n";
  exit $code;
}

sub current_folder {
  my ($here, $there) = (join(':', (stat '.')[0, 1]), join(':', (stat $ENV{PWD})[0, 1]));
  return $ENV{PWD} if $here eq $there;
  require Cwd;
  return Cwd::getcwd();
}

sub patient_line {
  my ($socket) = @_;
  for (1 .. $patience * 200) {
    select(undef, undef, undef, 0.005);
    return ready_line($socket) if connect($socket, $address);
    return if $! != $eagain;
  }
  return;
}
`;
