/**
 * How the perl shim keeps what the tool prints. A pipe or socket of the caller is fed from a pipe of the shim; a file
 * is handed to the tool itself and read afterwards; all else, such as a terminal, is handed over and not kept.
 */
export const perlOpenedStreams = `
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
`;

/** How what the tool prints is copied and kept while it runs. */
export const perlStreams = String.raw`
my ($kept_bytes, $chunk_bytes, $drained_bytes, $lost_reader) = (4096, 65536, 1 << 20);

sub close_stream {
  my ($stream) = @_;
  close delete $stream->{$_} for grep { $stream->{$_} } 'in', 'out';
  $stream->{pending} = '';
}

sub lose_reader {
  $lost_reader = 1;
  close_stream($_[0]);
}

sub live_streams {
  return grep { $_ && $_->{out} } @streams;
}

sub read_stream {
  my ($stream) = @_;
  my $read = sysread($stream->{in}, my $chunk, $chunk_bytes);
  return 0 if !defined $read;
  if (!$read) {
    close delete $stream->{in};
    close_stream($stream) if !length $stream->{pending};
    return 0;
  }
  $stream->{total} += $read;
  $stream->{pending} .= $chunk;
  my $room = $kept_bytes - length $stream->{head};
  $stream->{head} .= substr($chunk, 0, $room, '') if $room > 0;
  $stream->{tail} = substr($stream->{tail} . $chunk, -$kept_bytes) if length $chunk;
  return 1;
}

sub write_stream {
  my ($stream) = @_;
  my $pending = \$stream->{pending};
  while (length $$pending) {
    my $written =
      $stream->{is_socket} ? send($stream->{out}, $$pending, 0x40)
      : syswrite($stream->{out}, $$pending, $stream->{is_patient} ? length $$pending : 4096);
    if (!defined $written) {
      return if $! == $eagain || $! == 4;
      return lose_reader($stream);
    }
    substr($$pending, 0, $written, '');
    last if !$stream->{is_socket} && !$stream->{is_patient};
  }
  close_stream($stream) if !$stream->{in} && !length $$pending;
}

sub copy_streams {
  my ($timeout) = @_;
  my ($readable, $writable) = ('', '');
  vec($readable, fileno $signals, 1) = 1 if $signals;
  for my $stream (live_streams()) {
    vec($readable, fileno $stream->{out}, 1) = 1 if $stream->{is_watched};
    vec($writable, fileno $stream->{out}, 1) = 1 if length $stream->{pending};
    vec($readable, fileno $stream->{in}, 1) = 1 if $stream->{in} && !length $stream->{pending};
  }
  return if select($readable, $writable, undef, $timeout) <= 0;
  for my $stream (live_streams()) {
    if ($stream->{is_watched} && vec($readable, fileno $stream->{out}, 1)) {
      lose_reader($stream);
      next;
    }
    my $has_room = $stream->{is_patient} || $stream->{is_socket} || vec($writable, fileno $stream->{out}, 1);
    read_stream($stream) if $stream->{in} && vec($readable, fileno $stream->{in}, 1);
    write_stream($stream) if $has_room || !length $stream->{pending};
  }
}

sub drain_streams {
  for my $stream (live_streams()) {
    1 while $stream->{in} && length $stream->{pending} < $drained_bytes && read_stream($stream);
    write_stream($stream) if $stream->{is_socket} || $stream->{is_patient};
  }
  copy_pending() if live_streams();
}

sub kept {
  my ($stream) = @_;
  return ('-', '', '') if !$stream;
  return (0, '', '') if $stream->{same};
  read_file($stream) if $stream->{file};
  return map { s/\\/\\\\/gr =~ s/\0/\\0/gr } @$stream{qw(total head tail)};
}

sub read_file {
  my ($stream) = @_;
  my $to = $stream->{appends} ? -s $stream->{file} : sysseek($stream->{file}, 0, 1);
  my $total = $to > $stream->{from} ? $to - $stream->{from} : 0;
  my $tail_bytes = $total < $kept_bytes ? 0 : $total < 2 * $kept_bytes ? $total - $kept_bytes : $kept_bytes;
  $stream->{total} = $total;
  sysseek($stream->{reader}, $stream->{from}, 0);
  sysread($stream->{reader}, $stream->{head}, $total < $kept_bytes ? $total : $kept_bytes);
  sysseek($stream->{reader}, $to - $tail_bytes, 0);
  sysread($stream->{reader}, $stream->{tail}, $tail_bytes);
}
`;

/** The part that few calls need. */
export const perlRareStreams = `
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
`;
