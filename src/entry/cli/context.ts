import { wrapLines } from '../../shared/wrap-lines.ts';

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

/** True when a stream shows colours: a terminal, or any if FORCE_COLOR says so, unless plain text was requested. */
export function hasColor(stream: NodeJS.WriteStream, env: CliContext['env']): boolean {
  if (env.NO_COLOR) return false;
  const { FORCE_COLOR: forced } = env;
  if (forced !== undefined && forced !== '') return !/^(0|false)$/i.test(forced);
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** How text for people looks on a stream: in colours, and as wide as the terminal. */
export function styleOf(stream: NodeJS.WriteStream, env: CliContext['env']): { color: boolean; width?: number } {
  const color = hasColor(stream, env);
  return stream.isTTY === true && stream.columns > 0 ? { color, width: stream.columns } : { color };
}

/** True when people watch the stream on a terminal that can redraw a line. */
export function isWatched(stream: NodeJS.WriteStream, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env.CI && env.TERM !== 'dumb';
}

/** Writes text for people; lines that are longer than the terminal is wide are broken between words. */
export function writeText(stream: NodeJS.WriteStream, text: string): Promise<void> {
  const columns = stream.isTTY === true && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY;
  return write(stream, wrapLines(text, columns));
}

/** Writes text and waits for a slow reader; a reader that has gone away ends nothing but the writing. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}
