import type { Readable } from 'node:stream';
import type { AgentLaunch } from '../agents/agent.ts';
import { OutputBudget, OutputLines } from './output-lines.ts';
import type { Transcript, TranscriptChannel } from './transcript.ts';

type Channel = 'stdout' | 'stderr';

interface OutputReceivers {
  readonly onLine: AgentLaunch['onLine'];
  readonly transcript: Transcript;
  /** Called once, when a receiver has thrown; nothing is handed on after that. */
  readonly onFailure: () => void;
}

interface OpenChannel {
  readonly lines: OutputLines;
  readonly transcript: TranscriptChannel;
}

/** Reads everything that a process prints, for the transcript and line by line for whoever understands it. */
export class AgentOutput {
  readonly #receivers: OutputReceivers;
  readonly #budget = new OutputBudget();
  readonly #channels: OpenChannel[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(streams: Readonly<Record<Channel, Readable>>, receivers: OutputReceivers) {
    this.#receivers = receivers;
    this.#read(streams.stdout, 'stdout');
    this.#read(streams.stderr, 'stderr');
  }

  #read(stream: Readable, name: Channel): void {
    const { onLine, transcript } = this.#receivers;
    const lines = new OutputLines(this.#budget, (line) => onLine(line, name));
    const channel = { lines, transcript: transcript.channel() };
    this.#channels.push(channel);
    stream.on('data', (chunk: Buffer) =>
      this.#guard(() => {
        channel.transcript.push(chunk);
        lines.push(chunk);
      }),
    );
  }

  /** An error of a receiver must end this trial and nothing else, so it may not escape from an event. */
  #guard(receive: () => void): void {
    if (this.#failure !== undefined) return;
    try {
      receive();
    } catch (error) {
      this.#failure = { error };
      this.#receivers.onFailure();
    }
  }

  /** Hands on what has no line end; throws what a receiver threw. Returns what is worth knowing of what was left out. */
  finish(): string | undefined {
    this.#guard(() => {
      for (const { lines, transcript } of this.#channels) {
        transcript.end();
        lines.end();
      }
    });
    if (this.#failure !== undefined) throw this.#failure.error;
    const { droppedLines } = this.#budget;
    return droppedLines === 0 ? undefined : `the agent printed too much: ${droppedLines} lines were not looked at`;
  }
}
