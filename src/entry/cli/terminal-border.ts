import { withoutControls, withVisibleControls } from '../../shared/text.ts';
import { type CliContext, hasColor } from './context.ts';

const streams = new WeakMap<object, NodeJS.WriteStream>();

/**
 * The same streams behind a border: whatever a command writes, texts of others can neither move the cursor, nor reach the
 * clipboard, nor clear the screen. Only `control` draws.
 */
export function withBorder(context: CliContext): CliContext {
  const { cwd, env, serverTokens, stdout, stderr } = context;
  return {
    ...{ cwd, env, stdout: bordered(stdout, env), stderr: bordered(stderr, env) },
    ...(serverTokens && { serverTokens }),
    get stdin() {
      return context.stdin;
    },
  };
}

/** Writes a sequence that draws, and behind it a text that cannot. */
export function control(stream: NodeJS.WriteStream, sequence: string, text = ''): void {
  behindBorder(stream).write(`${sequence}${withVisibleControls(text)}`);
}

/** The stream of the process itself, for a protocol of bytes. */
export function behindBorder(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return streams.get(stream) ?? stream;
}

function bordered(stream: NodeJS.WriteStream, env: CliContext['env']): NodeJS.WriteStream {
  const visible = hasColor(stream, env) ? withVisibleControls : withoutControls;
  const write = (chunk: Uint8Array | string, ...rest: never[]): boolean =>
    stream.write(typeof chunk === 'string' ? visible(chunk) : chunk, ...rest);
  const behind = Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
  streams.set(behind, stream);
  return behind;
}
