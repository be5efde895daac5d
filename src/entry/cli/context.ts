/** The outside world as far as a command may touch it. */
export interface CliContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tokens of servers that the environment gave; they are not part of `env`. */
  readonly serverTokens?: Partial<Readonly<Record<'ASSAY_SERVE_TOKEN' | 'ASSAY_COLLECT_TOKEN', string | undefined>>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** True when a stream shows colours: a terminal, unless plain text was requested. */
export function hasColor(stream: NodeJS.WriteStream, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** True when people watch the stream on a terminal that can redraw a line. */
export function isWatched(stream: NodeJS.WriteStream, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env.CI && env.TERM !== 'dumb';
}

/** Writes text and waits for a slow reader; a reader that has gone away ends nothing but the writing. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}
