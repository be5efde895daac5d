import { describe, expect, it } from 'vitest';
import { countedUsage } from '../../domain/counted-usage.ts';
import { channelCoverage } from '../../domain/coverage.ts';
import { observedCalls } from '../../domain/tools/tool-calls.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';
import { assistantText, turnsOf } from '../../domain/turn.ts';
import { sumOfUsage, totalTokensOf } from '../../domain/usage.ts';
import { type CorpusDocument, importCorpus } from '../../testing/fakes/load/import-corpus.ts';
import { changed, type Path, pathsOf, renamed } from '../../testing/support/mutations.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { agentStreams } from './formats/agent-streams.ts';
import { importFormats } from './formats/index.ts';
import type { ImportedTrial } from './import-format.ts';

/** A document that knows less than another one. */
interface Damage {
  readonly operator: 'drop' | 'retype' | 'unknown' | 'double' | 'cut' | 'drop-line' | 'double-line';
  readonly place: string;
  readonly text: string;
}

/** The values of a document: one, or one on each line; undefined for other texts. */
function valuesOf(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    const all = text.split('\n').filter((line) => line !== '');
    return all.every((line) => /^[[{].*[\]}]$/.test(line)) ? all.map((line) => JSON.parse(line)) : undefined;
  }
}

function written(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join('\n');
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], value);
}

function damagesAt(value: unknown, path: Path): Omit<Damage, 'place'>[] {
  const found = at(value, path);
  const [parent, step] = [at(value, path.slice(0, -1)), path.at(-1)];
  const other = typeof found === 'string' ? { odd: 1 } : 'odd';
  const text = (document: unknown): string => JSON.stringify(document);
  const retyped = { operator: 'retype', text: text(changed(value, path, other)) } as const;
  if (Array.isArray(parent)) {
    const without = parent.filter((_, index) => index !== step);
    const twice = parent.flatMap((each, index) => (index === step ? [each, each] : [each]));
    return [
      { operator: 'drop', text: text(changed(value, path.slice(0, -1), without)) },
      { operator: 'double', text: text(changed(value, path.slice(0, -1), twice)) },
      retyped,
    ];
  }
  const isKind =
    typeof found === 'string' && /^(?:type|role|kind|source|event|run_type|dataType|status)$/.test(String(step));
  return [
    { operator: 'drop', text: text(renamed(value, path, undefined)) },
    retyped,
    ...(isKind ? [{ operator: 'unknown', text: text(changed(value, path, 'quite-unknown')) } as const] : []),
  ];
}

function* damagesOf({ text }: CorpusDocument): Generator<Damage> {
  const values = valuesOf(text);
  for (const [index, value] of (values ?? []).entries()) {
    const others = (document: string): string =>
      values?.map((each, place) => (place === index ? document : written([each]))).join('\n') ?? '';
    for (const path of pathsOf(value)) {
      for (const damage of damagesAt(value, path)) {
        yield { ...damage, place: `${index}.${path.join('.')}`, text: others(damage.text) };
      }
    }
  }
  const all = text.split('\n').filter((line) => line !== '');
  for (const [index, line] of all.entries()) {
    const replaced = (...by: readonly string[]): string =>
      [...all.slice(0, index), ...by, ...all.slice(index + 1)].join('\n');
    yield {
      operator: 'cut',
      place: `line ${index + 1}`,
      text: `${all.slice(0, index).join('\n')}\n${line.slice(0, line.length / 2)}`,
    };
    if (values === undefined || values.length > 1) {
      yield { operator: 'drop-line', place: `line ${index + 1}`, text: replaced() };
      yield { operator: 'double-line', place: `line ${index + 1}`, text: replaced(line, line) };
    }
  }
}

/** The facts of a trial: each entry is something that an assertion can find, and that must not vanish unnoticed. */
interface Facts {
  readonly isPass: boolean;
  readonly tools: ReadonlySet<string>;
  readonly failedTools: number;
  readonly answer: string;
  readonly tokens: number | undefined;
}

function factsOf({ trace, verdict }: ImportedTrial): Facts {
  const calls = observedCalls(trace);
  return {
    isPass: verdict?.state === 'pass',
    tools: new Set(calls.map(({ tool }) => tool)),
    failedTools: calls.filter(({ error }) => error !== undefined).length,
    answer: trace.some(isAnswer) ? (assistantText(turnsOf(trace).at(-1) ?? { messages: [] }) ?? '') : '',
    tokens: tokensIn(trace),
  };
}

function isAnswer(event: TraceEvent): boolean {
  return event.type === 'turn' || (event.type === 'message' && event.role === 'assistant');
}

function tokensIn(trace: Trace): number | undefined {
  return totalTokensOf(sumOfUsage(countedUsage(trace)) ?? {});
}

/** Facts that got greener although less is known. */
function violations(before: ImportedTrial, after: ImportedTrial): string[] {
  const [was, is] = [factsOf(before), factsOf(after)];
  const isComplete = (channel: 'tool-calls' | 'tool-results' | 'answers' | 'usage'): boolean =>
    channelCoverage(after.trace, channel).state === 'complete';
  const gone = [...was.tools].filter((tool) => !is.tools.has(tool));
  return [
    ...(is.isPass && !was.isPass ? ['a trial became a pass'] : []),
    ...(gone.length > 0 && isComplete('tool-calls') ? [`tool-not-called ${gone[0]} passes`] : []),
    ...(is.failedTools < was.failedTools && isComplete('tool-results') ? ['no-failed-calls passes'] : []),
    ...(was.answer !== '' && !is.answer.includes(was.answer) && isComplete('answers') ? ['not-contains passes'] : []),
    ...((is.tokens ?? 0) < (was.tokens ?? 0) && isComplete('usage') ? ['token-budget passes'] : []),
  ];
}

const identityOf = ({ id, scenario, caseId, repeat, variant }: ImportedTrial): string =>
  JSON.stringify([id, scenario, caseId, repeat, variant]);

function compare(whole: readonly ImportedTrial[], damaged: readonly ImportedTrial[]): string[] {
  const passes = (trials: readonly ImportedTrial[]): number =>
    new Set(trials.filter(({ verdict }) => verdict?.state === 'pass').map(identityOf)).size;
  const gained = passes(damaged) > passes(whole) ? ['a pass was gained'] : [];
  const pairs = damaged.flatMap((trial, index) => {
    const alike = whole.filter((each) => identityOf(each) === identityOf(trial));
    const before = alike.length === 1 ? alike[0] : whole.length === damaged.length ? whole[index] : undefined;
    return before ? [[before, trial] as const] : [];
  });
  return [...gained, ...pairs.flatMap(([before, after]) => violations(before, after))];
}

interface Undetectable {
  readonly document: RegExp;
  readonly operator: RegExp;
  readonly place: RegExp;
}

/** Damages that leave no trace: nothing in the document counts, pairs or numbers what they take away. */
const undetectable: Readonly<Record<string, Undetectable>> = {
  'a message or step of a list that nothing counts': {
    document: /^(?:tau2?|inspect|mini|swe-agent|chat|messages|trajectory)/,
    operator: /^drop(?:-line)?$/,
    place: /(?:traj|messages|trajectory|steps)\.\d+$|^line/,
  },
  'a span without others in it, which exporters do not number': {
    document: /^(?:claude-code|mastra|open|otel|traceloop|vercel|strands)/,
    operator: /^drop$/,
    place: /spans\.\d+$/,
  },
  'the attributes of a span, or the one that names its convention: it is then any span': {
    document: /^(?:mastra|open|otel|traceloop|vercel|strands)/,
    operator: /^drop$/,
    place: /spans\.\d+\.attributes(?:\.[01])?$/,
  },
  'a log record, its name or its prompt: it is then any record': {
    document: /-logs\.json$/,
    operator: /^(?:drop|retype)$/,
    place:
      /resourceLogs\.\d+(?:\.scopeLogs(?:\.\d+(?:\.logRecords(?:\.\d+(?:\.body.*|\.attributes\.4(?:\..*)?)?)?)?)?)?$/,
  },
  'an answer that may be any JSON': {
    document: /^(?:promptfoo|langsmith|langfuse|openai-evals)/,
    operator: /^(?:retype|drop)$/,
    place: /(?:response\.output|outputs(?:\..*)?|\.output(?:\.content)?|sampled|output\.0\.function)$/,
  },
  'the name of a call in the notation of another program': {
    document: /^(?:tau2?|chat|messages)/,
    operator: /^retype$/,
    place: /tool_calls\.0\.function$/,
  },
  'the mark that a result is an error': {
    document: /^inspect/,
    operator: /^drop$/,
    place: /messages\.2\.error$/,
  },
};

/** Formats with their own tests: outputs of agents, archives of what is read here, and files without traces or names. */
const others: ReadonlySet<string> = new Set([
  ...agentStreams.map(({ name }) => name),
  ...['claude-session', 'codex-rollout', 'inspect-eval', 'swe-bench-predictions', 'assay-run', 'text'],
]);

const everyNth = repetitions({ usual: 7, inFull: 1 });

describe('an imported document that knows less', () => {
  it('has an example for each format that is not the output of an agent', () => {
    const inCorpus = new Set(importCorpus.map(({ format }) => format));
    const missing = importFormats.map(({ name }) => name).filter((name) => !inCorpus.has(name) && !others.has(name));
    expect(missing).toEqual([]);
  });

  it.each(importCorpus.map((document) => [document.name, document] as const))(
    'of %s is never greener',
    async (_name, document) => {
      const whole = await document.read(document.text);
      expect(whole.length).toBeGreaterThan(0);
      const found: string[] = [];
      let number = 0;
      for (const damage of damagesOf(document)) {
        if (number++ % everyNth !== 0) continue;
        const isExempt = Object.values(undetectable).some(
          ({ document: name, place, operator }) =>
            name.test(document.name) && place.test(damage.place) && operator.test(damage.operator),
        );
        if (isExempt) continue;
        const gotGreener = compare(whole, await document.read(damage.text));
        if (gotGreener.length > 0)
          found.push(`${damage.operator} ${damage.place}: ${[...new Set(gotGreener)].join(', ')}`);
      }
      expect(found).toEqual([]);
    },
  );
});
