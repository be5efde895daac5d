import { basename } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { faultOf } from '../../../domain/outcome.ts';
import { readCounts } from '../../../drive/wire/reported-usage.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import { ChatTraceBuilder } from '../chat-trace.ts';
import { amountOf, figureOf, type JsonObject, knownParts, nameOf, objectOf } from '../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../import-format.ts';
import type { ImportSource } from '../import-source.ts';
import { lost } from '../losses.ts';
import { someObject } from '../sample.ts';
import { agentEnded } from '../session-lines.ts';
import { TraceCollector } from '../trace-collector.ts';

/** Trajectories of mini-swe-agent (`.traj.json`): one file is a trial. Whether the issue was solved is not in them. */
export const miniSweAgent: ImportFormat = {
  name: 'mini-swe-agent',
  summary: 'trajectories of mini-swe-agent (.traj.json)',
  reports: ['tool-calls', 'shell-calls'],
  recognises: (sample) =>
    /"trajectory_format"\s*:\s*"mini-swe-agent/.test(sample.text) ||
    someObject(sample, ({ info }) => isRecord(info) && 'mini_version' in info),
  lacks: ({ fileName }) =>
    /\.traj\.json$/i.test(fileName) ? '`trajectory_format`, or `info` with `mini_version`' : undefined,
  async *read(source) {
    for await (const { value, line } of source.records()) {
      if (isRecord(value) && Array.isArray(value.messages)) yield trialOf(value, value.messages, line, source);
      else source.problem(line, 'not a trajectory: `messages` is missing');
    }
  },
};

function trialOf(
  document: JsonObject,
  messages: readonly unknown[],
  line: number,
  source: ImportSource,
): ImportedTrial {
  const collector = new TraceCollector();
  const reader = new MessageReader(collector, source.placeOf(line));
  for (const [index, message] of messages.entries()) {
    if (!reader.add(message)) source.problem(line, `message ${index + 1} is not valid`);
  }
  reader.finish();
  const info = objectOf(document.info);
  const stats = objectOf(info.model_stats);
  const config = objectOf(info.config);
  const model = nameOf(objectOf(config.model).model_name);
  const ended = nameOf(info.exit_status) ?? 'unknown';
  if (ended === 'unknown') collector.lose(lost.everything, 'the trajectory does not say how it ended');
  const completed = /^submitted$/i.test(ended);
  const isBroken = !completed && !/^(?:limitsexceeded|unknown)$/i.test(ended);
  const fault = new AssayError('AGENT_FAILED', `The agent mini-swe-agent ended with \`${ended}\`.`);
  const { startedAt, durationMs, at } = collector;
  return {
    line,
    scenario: nameOf(document.instance_id) ?? basename(source.path).replace(/\.traj(\.json)?$/, ''),
    caseId: 'task',
    variant: knownParts({ agent: 'mini-swe-agent', model }),
    trace: [...collector.finish(), agentEnded(completed ? null : ended, at)],
    verdict: undefined,
    ...(isBroken && { fault: faultOf(fault) }),
    startedAt,
    durationMs,
    costUsd: amountOf(stats.instance_cost),
  };
}

/** Older versions write a command as a code block, and its output as a message of the user. */
class MessageReader {
  readonly #collector: TraceCollector;
  readonly #builder: ChatTraceBuilder;
  #openCall: string | undefined;
  #calls = 0;
  #lastRole: unknown;
  readonly #repeats = new Repeats();
  readonly #place: string;

  constructor(collector: TraceCollector, place: string) {
    this.#collector = collector;
    this.#place = place;
    this.#builder = new ChatTraceBuilder(collector);
  }

  finish(): void {
    this.#builder.finish();
  }

  add(message: unknown): boolean {
    const { role, content, extra } = objectOf(message);
    this.#collector.setTime(objectOf(extra).timestamp ?? objectOf(message).timestamp);
    if (this.#repeats.standingOf(message) === 'again') {
      this.#collector.lose(lost.everything, 'the same message stands twice in a row and counts once', this.#place);
      return true;
    }
    if (role === this.#lastRole && (role === 'user' || role === 'assistant'))
      this.#collector.lose(lost.everything, `two messages of the ${role} follow each other`, this.#place);
    this.#lastRole = role;
    // The closing message repeats how the agent ended.
    if (role === 'exit') return true;
    const text = typeof content === 'string' ? content : '';
    if (role === 'user' && this.#openCall !== undefined) {
      this.#answer(this.#openCall, text);
      return true;
    }
    if (!this.#builder.add(message, this.#place)) return false;
    if (role === 'assistant' && typeof content !== 'string' && !Array.isArray(content) && content !== null)
      this.#collector.lose(lost.everything, 'a message has no text, which may have been a command', this.#place);
    if (role === 'assistant') {
      const { usage } = objectOf(objectOf(extra).response);
      const reading = isRecord(usage) ? readCounts(usage) : { usage: undefined };
      this.#builder.addRequest({ usage: reading, costUsd: objectOf(extra).cost }, this.#place);
      if (!Array.isArray(objectOf(message).tool_calls)) this.#command(text);
    }
    return true;
  }

  #command(text: string): void {
    const [, command] = /```(?:bash|sh|mswea_bash_command)\s*\n([\s\S]*?)\n```/.exec(text) ?? [];
    if (command === undefined) return;
    this.#openCall = `command-${++this.#calls}`;
    const call = {
      callId: this.#openCall,
      tool: 'bash',
      kind: 'shell',
      input: { command },
      shellCommand: command,
    } as const;
    this.#collector.emit({ type: 'tool-call', ...call });
  }

  #answer(callId: string, text: string): void {
    this.#openCall = undefined;
    const exitCode = figureOf(/<returncode>(-?\d+)<\/returncode>/.exec(text)?.[1]);
    const [, output] = /<output>\n?([\s\S]*?)\n?<\/output>/.exec(text) ?? [];
    const answered = { type: 'tool-result', callId, result: output ?? text } as const;
    this.#collector.emit({ ...answered, ...(exitCode !== undefined && { exitCode }) });
  }
}
