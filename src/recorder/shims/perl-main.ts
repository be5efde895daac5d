/** What the perl shim does, from its first line to the end of the tool. */
export const perlMain = String.raw`
my @inherited = inherited_descriptors();
leave_standard_descriptors_alone() if grep { $_ } @closed;
hold_signals();
open_streams();
my $file = write_start();
my $began = now(1);
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
let_go();
watch_signals();
my $status;
until (defined $status) {
  copy_streams($signals ? undef : 0.05);
  pass_signals_on();
  next if waitpid($tool, 3) != $tool;
  if (($? & 255) != 127) {
    $status = $?;
  } elsif ($has_terminal) {
    kill STOP => $$;
  }
}
my $took = now(1);
drain_streams();
write_end($status, $took);
free_canary();
leave_copier() if live_streams();
end_by_signal($status & 127) if $status & 127;
exit $status >> 8;

sub inherited_descriptors {
  my $path = $linux ? '/proc/self/fd' : '/dev/fd';
  opendir(my $folder, $path) or return ();
  my @open = grep { /^\d+$/ && $_ > 2 } readdir $folder;
  closedir $folder;
  return grep { -e "$path/$_" || -l "$path/$_" } @open;
}

sub close_descriptor {
  open(my $handle, '<&=', $_[0]) and close $handle;
}

sub leave_standard_descriptors_alone {
  while (open(my $filler, '+<', '/dev/null')) {
    push @fillers, $filler;
    last if fileno $filler > 2;
  }
}

sub become_tool {
  close_descriptor($_) for grep { $closed[$_] } 0 .. 2;
  $ENV{$caller_variable} = $called_by_tool if defined $ENV{$caller_variable};
  exec { $program } $0 eq $shim ? $name : $0, @ARGV;
  my $code = $! == 2 ? 127 : 126;
  syswrite STDERR, "$name: $program cannot be started: $!\n";
  exit $code;
}

sub let_go {
  close delete $_->{end} for grep { $_ && $_->{end} } @streams;
  open(STDIN, '<', '/dev/null');
  open($_, '>', '/dev/null') for @standard[1, 2];
  close_descriptor($_) for @inherited;
}

sub leave_copier {
  return if fork;
  setpgrp(0, 0);
  undef $signals;
  for my $name (grep { ref $SIG{$_} } keys %SIG) {
    $SIG{$name} = 'IGNORE';
  }
  copy_streams(undef) while live_streams();
  exit 0;
}

sub now {
  return '' if !$linux;
  my $time = "\0" x 16;
  syscall($call{clock_gettime}, $_[0], $time);
  my ($seconds, $nanoseconds) = unpack('q2', $time);
  return $seconds * 1000 + $nanoseconds / 1e6;
}

sub write_start {
  my $file = sprintf '%s/%x-%x-%x', $calls, time, $$, rand 2 ** 48;
  my $caller = $ENV{$caller_variable};
  my $is_nested = defined $caller ? $caller eq $called_by_tool : has_shim_above();
  return write_fields("$file.s", 1, $is_nested ? 1 : 0, now(0), directory(), $name, @ARGV) ? $file : undef;
}

sub write_end {
  my ($status, $ended) = @_;
  return if !defined $file;
  my @end = $status & 127 ? ('signal', $status & 127) : ('exit', $status >> 8);
  my $took = $linux ? $ended - $began : '';
  write_fields("$file.e", 1, @end, $took, kept($streams[1]), kept($streams[2]), '.');
}

sub write_fields {
  my $path = shift;
  open(my $record, '>:unix', $path) or return 0;
  my $text = join("\0", @_) . "\0";
  return syswrite($record, $text) == length $text;
}

sub directory {
  my $path = readlink '/proc/self/cwd';
  return $path if defined $path;
  my ($here, $there) = (join(':', (stat '.')[0, 1]), join(':', (stat $ENV{PWD})[0, 1]));
  return $ENV{PWD} if $here eq $there;
  require Cwd;
  return Cwd::getcwd();
}

sub has_shim_above {
  my $pid = getppid;
  for (1 .. 64) {
    open(my $command, '<', "/proc/$pid/cmdline") or return 0;
    return 1 if index("\0" . <$command>, "\0$shim\0") >= 0;
    open(my $stat, '<', "/proc/$pid/stat") or return 0;
    ($pid) = <$stat> =~ /.*\) \S (\d+)/s;
  }
  return 0;
}
`;
