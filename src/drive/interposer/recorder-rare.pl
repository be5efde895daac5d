# The part of recorder.pl that few calls need.
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

# The canary is a child in the same process group on which signals pile up: one that it got too was sent to the whole
# group, has reached the tool already, and must not reach it twice.
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

sub copy_pending {
  my ($left, $before) = (pending_bytes());
  do {
    $before = $left;
    copy_streams(0);
    $left = pending_bytes();
  } while ($left < $before);
}

sub pending_bytes {
  my $bytes = 0;
  $bytes += length $_->{pending} for live_streams();
  return $bytes;
}

sub leave_copier {
  return if fork;
  setpgrp(0, 0);
  undef $signals;
  undef $line;
  for my $name (grep { ref $SIG{$_} } keys %SIG) {
    $SIG{$name} = 'IGNORE';
  }
  copy_streams(undef) while live_streams();
  leave(0);
}

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

sub report_failed_start {
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
