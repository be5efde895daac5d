import { letters } from './control-letters.ts';

/** Bytes of output, and of standard input, that are recorded of one call. */
export const mostRecordedBytes = 1_048_576;

/**
 * How a stand-in runs the real program and reports to the control what it prints, and what it reads. The input of a pipe or a
 * socket is shown to the program through a pipe of one page, without being taken from the caller before the program has
 * read it: what a program leaves is there for the next one.
 */
export const perlWatch = String.raw`
sub watch_real {
  my ($holds, $tapes) = @_;
  my $is_one = same_file();
  my $input = $tapes ? open_input() : {};
  my (@outs, @ends);
  for my $fd ($is_one ? 1 : (1, 2)) {
    if (!$holds && -t $standard[$fd]) {
      $unrecorded ||= 'its output went to a terminal';
      next;
    }
    pipe($outs[$fd], $ends[$fd]) or refuse("$!");
  }
  my $owner = $$;
  my $child = fork;
  refuse("$!") if !defined $child;
  if (!$child) {
    if (%call) {
      syscall($call{prctl}, 1, 9);
      exit 137 if getppid() != $owner;
    }
    close $line;
    $SIG{PIPE} = 'DEFAULT';
    open(STDIN, '<&', $input->{end}) if $input->{end};
    open(STDOUT, '>&', $ends[1]) if $ends[1];
    open(STDERR, '>&', $ends[$is_one ? 1 : 2]) if $ends[$is_one ? 1 : 2];
    become_real();
  }
  for my $signal (qw(HUP INT TERM QUIT USR1 USR2)) {
    $SIG{$signal} = sub { kill $signal => $child };
  }
  close $_ for grep { $_ } @ends;
  close delete $input->{end} if $input->{end};
  $ended_by = accompany($child, $holds, $input, \@outs);
  leave_copier(@outs) if !$holds && grep { $_ } @outs;
  close_input($input) if $tapes;
  my $signal = $ended_by & 127;
  my @input = defined $input->{content} ? (1, $input->{content}, $input->{taken}, $input->{ended} ? 1 : 0) : (0, '', 0, 0);
  send_frame('${letters.ended}', $signal ? ('signal', $signal) : ('exit', $ended_by >> 8), @input, $unrecorded, @doubts);
}

sub same_file {
  my ($out, $err) = map { join ':', (stat $_)[0, 1] } \*STDOUT, \*STDERR;
  return $out ne ':' && $out eq $err;
}

sub accompany {
  my ($child, $holds, $input, $outs) = @_;
  my ($status, $sent) = (undef, 0);
  while (!defined $status || grep { $_ } @$outs) {
    my ($readable, $writable) = ('', '');
    vec($readable, fileno $_, 1) = 1 for grep { $_ } @$outs;
    if ($input->{feed} && !defined $status) {
      if ($input->{fed}) { vec($writable, fileno $input->{feed}, 1) = 1 }
      else { vec($readable, 0, 1) = 1 }
    }
    my $ready = select($readable, $writable, undef, defined $status ? 0 : 0.02);
    if ($ready > 0) {
      for my $fd (grep { $outs->[$_] && vec($readable, fileno $outs->[$_], 1) } 1, 2) {
        $sent += pass_piece($outs, $fd, $holds, $sent);
      }
      take_read($input) if $input->{fed} && vec($writable, fileno $input->{feed}, 1);
      feed($input) if $input->{feed} && !$input->{fed} && vec($readable, 0, 1);
    }
    last if defined $status && $ready <= 0;
    $status = $? if !defined $status && waitpid($child, 1) == $child;
  }
  return $status;
}

sub pass_piece {
  my ($outs, $fd, $holds, $sent) = @_;
  my $got = sysread($outs->[$fd], my $piece, 65536);
  return 0 if !defined $got;
  if (!$got) {
    undef $outs->[$fd];
    return 0;
  }
  if (!$holds && !write_all($standard[$fd], $piece)) {
    push @doubts, 'the reader of its output left before the end';
    undef $outs->[$fd];
  }
  if ($holds || $sent + $got <= ${mostRecordedBytes}) {
    write_all($line, ($fd == 1 ? '${letters.stdout}' : '${letters.stderr}') . pack('N', $got) . $piece);
  } else {
    $unrecorded ||= 'it printed more than 1 MB';
  }
  return $got;
}

sub leave_copier {
  my @outs = @_;
  push @doubts, 'a process that it left running may have printed more';
  return if fork;
  setpgrp(0, 0);
  close $line;
  $SIG{$_} = 'IGNORE' for qw(HUP INT TERM QUIT);
  while (grep { $_ } @outs) {
    my $readable = '';
    vec($readable, fileno $_, 1) = 1 for grep { $_ } @outs;
    next if select($readable, undef, undef, undef) <= 0;
    for my $fd (grep { $outs[$_] && vec($readable, fileno $outs[$_], 1) } 1, 2) {
      my $got = sysread($outs[$fd], my $piece, 65536);
      undef $outs[$fd] if !$got || !write_all($standard[$fd], $piece);
    }
  }
  exit 0;
}

sub open_input {
  my @stat = stat STDIN;
  my $type = @stat ? $stat[2] >> 12 : 0;
  return {} if !$type || ($type == 2 && $stat[6] == (stat '/dev/null')[6]);
  return { is_file => 1, from => sysseek(STDIN, 0, 1) + 0 } if $type == 8;
  if (-t STDIN) {
    push @doubts, 'its standard input was a terminal, and what was typed is not recorded';
    return {};
  }
  if (($type == 1 && $call{tee}) || $type == 12) {
    my $input = { content => '', fed => 0, is_socket => $type == 12 };
    pipe($input->{end}, $input->{feed}) or refuse("$!");
    return $input if fcntl($input->{feed}, 1031, 4096) && fcntl($input->{feed}, 4, 04000);
  }
  $unrecorded ||= 'its standard input cannot be recorded on this system';
  return {};
}

sub feed {
  my ($input) = @_;
  my ($count, $error);
  if ($input->{is_socket}) {
    my $from = recv(STDIN, my $piece, 4096, 0x42);
    $count = !defined $from ? -1 : length $piece && defined(syswrite $input->{feed}, $piece) ? length $piece : 0;
    $error = $!;
    return stop_feeding($input) if defined $from && length $piece && !$count;
  } else {
    $count = syscall($call{tee}, 0, fileno $input->{feed}, 65536, 2);
    $error = $!;
  }
  return $input->{fed} = $count if $count > 0;
  return if $count < 0 && ($error == 11 || $error == 4);
  $input->{ended} = 1 if $count == 0;
  $unrecorded ||= "its standard input cannot be recorded: $error" if $count < 0 && $error != 32;
  stop_feeding($input);
}

sub stop_feeding {
  my ($input) = @_;
  close delete $input->{feed};
}

sub take_read {
  my ($input) = @_;
  my $left = pack('i', 0);
  ioctl($input->{feed}, 0x541B, $left);
  $left = unpack('i', $left);
  my $count = $input->{fed} - $left;
  $input->{fed} = 0;
  while ($count > 0) {
    vec(my $readable = '', 0, 1) = 1;
    my $got = select($readable, undef, undef, 0) > 0 ? sysread(STDIN, my $piece, $count) : 0;
    if (!$got) {
      $unrecorded ||= 'another process read from the same standard input';
      last;
    }
    $count -= $got;
    $input->{content} .= $piece if length $input->{content} <= ${mostRecordedBytes};
  }
  $input->{was_left} = 1 if $left;
  stop_feeding($input) if $left;
}

sub close_input {
  my ($input) = @_;
  if ($input->{is_file}) {
    read_file_input($input);
  } elsif (defined $input->{content}) {
    take_read($input) if $input->{fed};
    $input->{ended} = 0 if $input->{was_left};
    $input->{taken} = length $input->{content};
    delete $input->{content} if !$input->{taken} && !$input->{ended};
  }
  return if length($input->{content} || '') <= ${mostRecordedBytes};
  $unrecorded ||= 'its standard input has more than 1 MB';
  $input->{content} = '';
}

sub read_file_input {
  my ($input) = @_;
  my $from = $input->{from};
  my $to = sysseek(STDIN, 0, 1) + 0;
  my $size = -s STDIN;
  push @doubts, 'it moved back in its standard input' if $to < $from;
  my $end = $to > $from ? $to : $size;
  sysseek(STDIN, $from, 0);
  my $content = '';
  while (length $content < $end - $from && length $content <= ${mostRecordedBytes}) {
    last if !sysread(STDIN, $content, $end - $from - length $content, length $content);
  }
  sysseek(STDIN, $to, 0);
  @$input{qw(content taken ended)} = ($content, $to > $from ? $to - $from : 0, $end >= $size);
}
`;
