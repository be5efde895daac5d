import { AsyncLocalStorage } from 'node:async_hooks';
import { BoundedOutput } from '../../../shared/processes/bounded-output.ts';
import type { PrintedText } from './module-worker-messages.ts';

type Channel = PrintedText['channel'];
type Outputs = Map<Channel, BoundedOutput>;

const keptHeadBytes = 8_192;
const keptTailBytes = 8_192;

/**
 * Collects what each call prints, also when many calls run at once, instead of letting it into the report on stdout.
 * What is printed outside of any call goes to stderr.
 */
export class PrintedByCall {
  readonly #current = new AsyncLocalStorage<Outputs>();

  constructor() {
    this.#capture('stdout');
    this.#capture('stderr');
  }

  async during<Value>(call: () => Promise<Value>): Promise<[Value, PrintedText[]]> {
    const outputs: Outputs = new Map();
    const value = await this.#current.run(outputs, call);
    if (outputs.size === 0) return [value, []];
    return [
      value,
      [...outputs].map(([channel, output]) => ({
        channel,
        text: output.text(),
        truncatedBytes: output.truncatedBytes,
      })),
    ];
  }

  #capture(channel: Channel): void {
    const stderrWrite = process.stderr.write.bind(process.stderr);
    process[channel].write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const outputs = this.#current.getStore();
      if (!outputs) return stderrWrite(chunk);
      let output = outputs.get(channel);
      if (!output) {
        output = new BoundedOutput(keptHeadBytes, keptTailBytes);
        outputs.set(channel, output);
      }
      const encoding = rest.find((argument) => typeof argument === 'string') as BufferEncoding | undefined;
      output.append(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
      const done = rest.find((argument) => typeof argument === 'function');
      if (done) queueMicrotask(done as () => void);
      return true;
    };
  }
}
