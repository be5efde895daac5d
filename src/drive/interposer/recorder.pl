# Stands in front of a tool under test: records each of its calls and stays invisible to the caller. Perl without a
# single module, because it must start within a millisecond. `perl-shim.ts` fills in the first statement.
my %set = ();
$^W = 0;
my ($program, $name, $interpreter, $has_cover, $patience) = @set{qw(program name interpreter has_cover patience)};
my ($caller_variable, $called_by_tool) = @set{qw(caller_variable called_by_tool)};
my ($nonblock, $eagain) = @set{qw(nonblock eagain)};
my %found_on_path = map { $_ => 1 } @{$set{found_on_path}};
my %call = %{$set{calls}};
my $linux = %call ? 1 : 0;
my $address = $^O eq 'linux' ? pack('S a* x', 1, $set{socket}) : pack('CC a*', 2 + length $set{socket}, 1, $set{socket});

# The stub hides variables that would change how perl itself runs.
for my $hidden (grep { /^\x01/ } keys %ENV) {
  my $variable = ($hidden =~ /^.ERL/ ? 'P' : 'L') . substr($hidden, 1);
  $ENV{$variable} = delete $ENV{$hidden};
}
syscall($call{prctl}, 15, $name) if $linux;
for my $variable (keys %{$set{kept}}) {
  my $value = delete $ENV{$set{kept}{$variable}};
  next if !defined $value;
  if ($value eq '') {
    delete $ENV{$variable};
  } else {
    $ENV{$variable} = $value;
  }
}
for my $argument (@ARGV) {
  utf8::encode($argument) if utf8::is_utf8($argument);
}
my (@streams, @fillers, @inherited, $line, $real, $began, $took, $waited);
my @leading = $0 eq $set{path} ? splice(@ARGV, 0, $set{words_before}) : ($0);
shift @leading if $set{has_starter_word};
my $called = !@leading || $found_on_path{$leading[0]} ? $name : $leading[0];
my @standard = (\*STDIN, \*STDOUT, \*STDERR);
my $has_terminal = -t STDIN;
my $own_file = join ':', (stat $0)[0, 1];
my @closed = map { my @stat = stat $_; !@stat || "$stat[0]:$stat[1]" eq $own_file } @standard;

# Signals are kept from this program and from getting lost. On Linux all are blocked and read from a descriptor, so none is
# lost between a check and a wait; elsewhere handlers note them.
my ($tool, $canary, $signals, $has_stopped, @noticed, %was_ignored);
my ($all_but_pipe, $old_mask) = (pack('Q', ~0 ^ (1 << 12)), "\0" x 8);

sub hold_signals {
  return note_signals() if !$linux;
  syscall($call{rt_sigprocmask}, 0, $all_but_pipe, $old_mask, 8);
}

sub release_signals {
  return restore_signals() if !$linux;
  syscall($call{rt_sigprocmask}, 2, $old_mask, 0, 8);
}

sub end_with {
  my ($owner) = @_;
  return if !$linux;
  syscall($call{prctl}, 1, 9);
  exit 137 if getppid() != $owner;
}

# A pipe or socket of the caller is fed from a pipe of this program; a file is handed to the tool itself and read
# afterwards; all else, such as a terminal, is handed over and not kept.
sub open_streams {
  my %first;
  for my $fd (grep { !$closed[$_] } 1, 2) {
    my ($device, $inode, $mode) = stat $standard[$fd];
    my $type = $mode >> 12;
    next if $type != 1 && $type != 8 && $type != 12;
    my $key = "$device:$inode";
    $streams[$fd] = $first{$key} ? { same => $first{$key} } : $type == 8 ? file_stream($fd) : pipe_stream($fd, $type);
    $first{$key} ||= $streams[$fd];
  }
}

sub file_stream {
  my ($fd) = @_;
  open(my $reader, '<:unix', "/proc/self/fd/$fd") or return;
  open(my $file, '>&', $fd) or return;
  my $appends = fcntl($file, 3, 0) & 0x400;
  return { file => $file, reader => $reader, appends => $appends, from => $appends ? -s $file : sysseek($file, 0, 1) };
}

sub pipe_stream {
  my ($fd, $type) = @_;
  my $stream = { pending => '', head => '', tail => '', total => 0, is_socket => $linux && $type == 12 };
  pipe($stream->{in}, $stream->{end}) or return;
  fcntl($stream->{in}, 4, $nonblock);
  if ($linux && readlink("/proc/self/fd/$fd") =~ /^pipe:/) {
    $stream->{is_watched} = 1;
    $stream->{is_patient} = sysopen(my $out, "/proc/self/fd/$fd", 1 | $nonblock);
    $stream->{out} = $out if $stream->{is_patient};
  }
  $stream->{out} or open($stream->{out}, '>&', $fd) or return;
  binmode $_ for $stream->{in}, $stream->{out};
  return $stream;
}

sub give_streams {
  for my $fd (1, 2) {
    my $stream = $streams[$fd] or next;
    my $end = ($stream->{same} || $stream)->{end};
    open($standard[$fd], '>&', $end) if $end;
  }
}

# Parsing rarely used code would take half of a short call, so each part is parsed when it is first called.
my @later = ();

sub AUTOLOAD {
  my $sub = our $AUTOLOAD;
  eval shift @later while @later && !defined &$sub;
  defined &$sub ? goto &$sub : die "$sub: $@";
}

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
  if ($interpreter ne '') {
    exec { $interpreter } $interpreter, @leading, @ARGV;
  }
  exec { $has_cover ? "/proc/self/fd/$real" : $program } $called, @ARGV or report_failed_start();
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
