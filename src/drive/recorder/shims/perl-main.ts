/** Code of the perl shim until the tool has started; the rest is read while the tool starts. */
export const perlStart = String.raw`
@inherited = inherited_descriptors();
leave_standard_descriptors_alone() if $closed[0] || $closed[1] || $closed[2];
hold_signals();
open_streams();
$file = write_start();
$began = now(1);
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
  exec { $program } $0 eq $shim ? $name : $0, @ARGV;
  tell_that_tool_did_not_start();
}

sub now {
  return '' if !$linux;
  my $time = "\0" x 16;
  syscall($call{clock_gettime}, $_[0], $time);
  my ($seconds, $nanoseconds) = unpack('q2', $time);
  return $seconds * 1000 + $nanoseconds / 1e6;
}

sub write_start {
  my $path = sprintf '%s/%x-%x-%x', $calls, time, $$, rand 2 ** 48;
  my $caller = $ENV{$caller_variable};
  my $is_nested = defined $caller ? $caller eq $called_by_tool : has_shim_above();
  my $folder = readlink '/proc/self/cwd';
  $folder = current_folder() if !defined $folder;
  return write_fields("$path.s", 1, $is_nested ? 1 : 0, now(0), $folder, $name, @ARGV) ? $path : undef;
}

sub write_fields {
  my $path = shift;
  open(my $record, '>:unix', $path) or return 0;
  my $text = join("\0", @_) . "\0";
  return syswrite($record, $text) == length $text;
}
`;

/** Code of the perl shim after the tool has started. */
export const perlMain = `
sub accompany_tool {
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
  return if !defined $file;
  my @end = $status & 127 ? ('signal', $status & 127) : ('exit', $status >> 8);
  write_fields("$file.e", 1, @end, $took, kept($streams[1]), kept($streams[2]), $lost_reader ? '|' : '.');
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
  my $code = $! == 2 ? 127 : 126;
  syswrite STDERR, "$name: $program cannot be started: $!\n";
  exit $code;
}

sub current_folder {
  my ($here, $there) = (join(':', (stat '.')[0, 1]), join(':', (stat $ENV{PWD})[0, 1]));
  return $ENV{PWD} if $here eq $there;
  require Cwd;
  return Cwd::getcwd();
}

sub has_shim_above {
  my $pid = getppid;
  for (1 .. 64) {
    open(my $command, '<', "/proc/$pid/cmdline") or return 0;
    return 1 if <$command> =~ /^[^\0]*perl\0\Q$shim\E\0/;
    open(my $stat, '<', "/proc/$pid/stat") or return 0;
    ($pid) = <$stat> =~ /.*\) \S (\d+)/s;
  }
  return 0;
}
`;
