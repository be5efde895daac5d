import * as z from 'zod';
import { type Evidence, type JudgeSpending, type Look, totalSpending } from '../../domain/judge-result.ts';
import type { Fault } from '../../domain/outcome.ts';
import { readReply, replyJsonSchema } from '../../drive/models/prompting/read-reply.ts';
import { templateOf } from '../../drive/models/prompting/template.ts';
import { askQuestion } from './ask-question.ts';
import { eventsForJudge } from './event-source.ts';
import { comparable } from './evidence.ts';
import type { JudgeConclusion, JudgeContext, JudgeSubject, Question, Render, SeenLook, WorkFolder } from './judge.ts';
import templateText from './prompts/look.v1.md?raw';

const template = templateOf(templateText);
const text = z.union([z.string(), z.number().transform(String)]).default('');
const replySchema = z.object({
  reasoning: z.string().default(''),
  looks: z.array(
    z.object({
      tool: z.enum(['list', 'read', 'search', 'events']),
      ...{ path: text, from: text, to: text, text },
    }),
  ),
});
type WantedLook = z.output<typeof replySchema>['looks'][number];

/** Schema for the prompt: everything is required, as strict providers want it. */
const requestedSchema = z.object({
  reasoning: z.string(),
  looks: z.array(
    z.object({
      tool: z.enum(['list', 'read', 'search', 'events']),
      path: z.string(),
      from: z.string(),
      to: z.string(),
      text: z.string(),
    }),
  ),
});

const output = { name: 'looks', schema: replyJsonSchema(requestedSchema) };

/** The subject with all that its judge looked at, or why the judge could not look. */
export interface LookedAround {
  readonly subject: JudgeSubject;
  readonly spent: JudgeSpending;
  readonly warnings: readonly string[];
  readonly fault?: Fault | undefined;
  readonly raw?: string | undefined;
}

/** Lets a judge look at files and events, round by round, until it has seen enough or has no looks left. */
export async function lookAround(
  render: Render,
  bareSubject: JudgeSubject,
  context: JudgeContext,
  mostLooks: number,
): Promise<LookedAround> {
  const folder = bareSubject.openWorkFolder?.();
  const spending: JudgeSpending[] = [];
  let subject: JudgeSubject = { ...bareSubject, looks: [] };
  const looksSoFar = (): readonly SeenLook[] => subject.looks ?? [];
  while (looksSoFar().length < mostLooks) {
    const left = mostLooks - looksSoFar().length;
    const outcome = await askQuestion(roundQuestion(render(subject, context), left), context);
    spending.push(outcome);
    const spent = totalSpending(spending);
    if (outcome.fault !== undefined) return { subject, spent, warnings: [], fault: outcome.fault, raw: outcome.raw };
    const wanted = outcome.conclusion.slice(0, left);
    if (wanted.length === 0) return { subject, spent, warnings: [] };
    for (const look of wanted) {
      const found = await perform(look, `f${looksSoFar().length + 1}`, subject, folder);
      subject = { ...subject, looks: [...looksSoFar(), found] };
    }
  }
  const warning = `The judge used all of its ${mostLooks} looks`;
  return { subject, spent: totalSpending(spending), warnings: [warning] };
}

function roundQuestion(question: Question, left: number): Question<readonly WantedLook[]> {
  return {
    system: question.system,
    user: template({ question: question.user, left: String(left) }),
    output,
    maxOutputTokens: 2_000,
    read: (reply) => {
      const reading = readReply(reply, replySchema);
      return reading.isReadable ? { ...reading, value: reading.value.looks } : reading;
    },
  };
}

async function perform(
  { tool, path, from, to, text: wanted }: WantedLook,
  id: string,
  { trace }: JudgeSubject,
  folder: WorkFolder | undefined,
): Promise<SeenLook> {
  if (tool === 'events') {
    const [first, last] = [eventNumber(from), eventNumber(to === '' ? from : to)];
    const isThere = first >= 1 && last >= first && last <= eventsForJudge(trace).length;
    return {
      id,
      tool,
      range: `${from}-${to}`,
      ...(isThere ? { events: [first, last] } : { problem: 'no such events' }),
    };
  }
  if (!folder) return { id, tool, path, problem: 'the trial has no work directory' };
  if (tool === 'list') return { id, tool, path, ...(await folder.list(path)) };
  if (tool === 'search') return { id, tool, path, wanted, ...(await folder.search(path, wanted)) };
  const firstLine = Math.max(1, Math.floor(Number(from)) || 1);
  const lastLine = Math.max(firstLine, Math.floor(Number(to)) || firstLine + 199);
  return { id, tool, path, firstLine, ...(await folder.read(path, firstLine, lastLine)) };
}

function eventNumber(name: string): number {
  return Number(/^e?(\d+)$/.exec(name.trim())?.[1] ?? Number.NaN);
}

/** The looks as the record keeps them: what was looked at, not its content. */
export function recordedLooks({ looks = [] }: JudgeSubject): Look[] {
  return looks.map(({ id, tool, path, wanted, range, firstLine, lines, bytes, problem }) => ({
    id,
    tool,
    ...(path !== undefined && { path }),
    ...(wanted !== undefined && { text: wanted }),
    ...(range !== undefined && { events: range }),
    ...(firstLine !== undefined && lines && { lines: `${firstLine}-${firstLine + lines.length - 1}` }),
    ...(bytes !== undefined && { bytes }),
    ...(problem !== undefined && { problem }),
  }));
}

/** The same conclusion with the file and line of every quote that is from a file. */
export function pointAtLines(conclusion: JudgeConclusion, { looks = [] }: JudgeSubject): JudgeConclusion {
  const { criteria } = conclusion;
  const located = (evidence: readonly Evidence[]): Evidence[] =>
    evidence.map((one) => {
      const look = looks.find(({ id }) => id === one.event);
      const line = one.isVerified && look ? lineOf(one.quote, look) : undefined;
      return line === undefined || look?.path === undefined ? one : { ...one, file: look.path, line };
    });
  return {
    ...conclusion,
    ...(criteria && { criteria: criteria.map((one) => ({ ...one, evidence: located(one.evidence) })) }),
  };
}

function lineOf(quote: string, { lines, firstLine }: SeenLook): number | undefined {
  if (!lines || firstLine === undefined) return undefined;
  const wanted = comparable(quote);
  const holds = (from: number, to: number): boolean =>
    comparable(lines.slice(from, to + 1).join('\n')).includes(wanted);
  const last = lines.findIndex((_, index) => holds(0, index));
  if (last < 0) return undefined;
  let first = last;
  while (first > 0 && !holds(first, last)) first--;
  return firstLine + first;
}
