/** Letters of the messages between a stand-in and the control. */
export const letters = {
  /** A stand-in was called. */
  call: 'C',
  /** The control wants the standard input, and the stand-in sends it. */
  stdin: 'I',
  /** The control wants some bytes of the standard input, and the stand-in sends them. */
  read: 'N',
  /** The real program is to run, and the control hears no more of it. */
  run: 'R',
  /** The real program is to run, and its output is to be sent: instead of being printed, or as well. */
  watch: 'X',
  /** A piece of the output of the real program. */
  stdout: 'O',
  stderr: 'F',
  /** How the real program ended, and the standard input that it had. */
  ended: 'E',
  /** The stand-in ends as the real program did. */
  leave: 'L',
  /** Output, end and files that the stand-in leaves. */
  answer: 'A',
} as const;
