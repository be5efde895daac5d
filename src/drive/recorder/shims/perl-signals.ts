/**
 * How the perl shim keeps signals from itself and from getting lost. On Linux all are blocked and read from a
 * descriptor, so none is lost between a check and a wait; elsewhere handlers note them.
 */
export const perlHeldSignals = String.raw`
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
`;

/** How signals are noticed while the tool runs. */
export const perlSignals = `
sub watch_signals {
  $SIG{PIPE} = 'IGNORE';
  return if !$linux;
  my $fd = syscall($call{signalfd4}, -1, $all_but_pipe, 8, 02004000);
  open($signals, '<&=', $fd) if $fd >= 0;
}

sub read_signals {
  while ($signals && sysread($signals, my $info, 128)) {
    my ($signal, undef, $code, $pid) = unpack('LllL', $info);
    push @noticed, $signal if $signal != 17;
    $has_stopped = 1 if $signal == 17 && $code == 5 && $pid == $tool;
  }
}
`;

/**
 * The part that few calls need. The canary is a child in the same process group on which signals pile up: one that it
 * got too was sent to the whole group, has reached the tool already, and must not reach it twice.
 */
export const perlRareSignals = String.raw`
sub note_signals {
  for my $name (grep { !/^(KILL|STOP|TSTP|TTIN|TTOU|PIPE|SEGV|BUS|ILL|FPE|SYS|TRAP|ZERO)$/ } keys %SIG) {
    $was_ignored{$name} = 1 if $SIG{$name} eq 'IGNORE';
    $SIG{$name} = $name =~ /^CH?LD$/ ? sub { } : sub { push @noticed, $_[0] };
  }
}

sub restore_signals {
  for my $name (grep { ref $SIG{$_} } keys %SIG) {
    $SIG{$name} = $was_ignored{$name} ? 'IGNORE' : 'DEFAULT';
  }
}

sub set_canary {
  my $owner = $$;
  $canary = fork;
  return if !defined $canary || $canary;
  end_with($owner);
  close $_ for grep { $_ } $signals, $line, map { @$_{qw(in out file reader)} } grep { $_ } @streams;
  select(undef, undef, undef, undef) while 1;
}

sub free_canary {
  kill KILL => $canary;
  waitpid $canary, 0;
  undef $canary;
}

sub went_to_group {
  my ($signal) = @_;
  return 0 if !$canary || !open(my $status, '<', "/proc/$canary/status");
  my ($pending) = map { /^ShdPnd:\s*(\S+)/ ? $1 : () } <$status>;
  return 0 if !(hex($pending) >> ($signal - 1) & 1);
  free_canary();
  set_canary();
  return 1;
}

sub pass_signals_on {
  while (defined(my $signal = shift @noticed)) {
    kill $signal => $tool if !went_to_group($signal);
  }
}

sub end_by_signal {
  my ($signal) = @_;
  for my $name (keys %SIG) {
    $SIG{$name} = 'DEFAULT' if $SIG{$name};
  }
  if ($linux) {
    my $mask = pack('Q', 1 << ($signal - 1));
    syscall($call{prctl}, 4, 0);
    syscall($call{rt_sigprocmask}, 1, $mask, 0, 8);
  }
  kill $signal => $$;
  exit 128 + $signal;
}
`;
