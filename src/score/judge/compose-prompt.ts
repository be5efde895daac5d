import type { EvidenceSource } from '../../domain/judge-result.ts';
import type { JudgePrompt } from '../../domain/run-options/judge-prompt.ts';
import { cutText, encodeData, redactData } from '../../drive/models/prompting/encode-data.ts';
import { raiseFence } from '../../drive/models/prompting/fence.ts';
import { type Template, templateOf } from '../../drive/models/prompting/template.ts';
import { usualEvidence } from './event-source.ts';
import type { JudgeSubject, PromptSettings } from './judge.ts';
import leanText from './prompts/rules.v3.md?raw';
import longText from './prompts/rules-long.v3.md?raw';

const rules: Readonly<Record<JudgePrompt, { readonly version: string; readonly text: Template }>> = {
  lean: { version: 'rules.v3', text: templateOf(leanText) },
  long: { version: 'rules-long.v3', text: templateOf(longText) },
};

const usualPrompt: JudgePrompt = 'lean';

/** The version of a prompt with that of the rules, which are part of it. */
export function withRulesVersion(version: string, prompt: JudgePrompt = usualPrompt): string {
  return `${version}+${rules[prompt].version}`;
}

/** Last part of the prompt version of a judge that may look. */
export const lookVersion = 'look.v1';

interface Additions {
  readonly instructions?: string | undefined;
  readonly evidenceFrom?: readonly EvidenceSource[] | undefined;
  readonly references?: JudgeSubject['references'];
}

/** A subject with what its judge's config or rubric adds to it. */
export function withAdditions(subject: JudgeSubject, additions: Additions): JudgeSubject {
  const { instructions, references, evidenceFrom } = additions;
  return {
    ...subject,
    ...(evidenceFrom && { evidenceFrom }),
    instructions: [...(subject.instructions ?? []), ...(instructions === undefined ? [] : [instructions])],
    references: [...(subject.references ?? []), ...(references ?? [])],
  };
}

/** A question, and how the data behind it is laid out. */
export interface PromptTemplate {
  readonly question: Template;
  readonly data: Template;
}

/** Reads a prompt file: the question, a line of four hyphens, and the layout of the data. */
export function promptOf(text: string): PromptTemplate {
  const [question = '', data = ''] = text.split('\n----\n');
  return { question: templateOf(question), data: templateOf(data) };
}

interface PromptParts {
  /** By placeholder: untrusted lines of JSON. */
  readonly data: Readonly<Record<string, readonly string[]>>;
  /** By placeholder: text of the author or of the program itself. */
  readonly trusted: Readonly<Record<string, string>>;
  readonly evidenceFrom?: readonly EvidenceSource[] | undefined;
}

/**
 * The system and user texts of a prompt. The system text has no data: it is the same for all trials of a scenario, so
 * providers can read it from their caches. All data is behind one fence.
 */
export function composePrompt(template: PromptTemplate, parts: PromptParts, settings: PromptSettings) {
  const { data, trusted, evidenceFrom = usualEvidence } = parts;
  const fence = raiseFence(Object.values(data).flat(), settings.nonce);
  const filled: Record<string, string> = { ...trusted };
  for (const [name, lines] of Object.entries(data)) filled[name] = fence.wrap(lines);
  const sources = evidenceFrom.map((source) => `"${source}"`).join(' or ');
  const { text } = rules[settings.prompt ?? usualPrompt];
  return {
    system: `${text({ evidenceFrom: sources })}\n\n${template.question(trusted)}`,
    user: template.data(filled),
  };
}

/** Texts of the author as a list, one JSON string to a line to keep any from passing for part of the prompt. */
export function authorLines(texts: readonly string[], settings: PromptSettings, label = (_index: number) => '-') {
  if (texts.length === 0) return '(none)';
  return texts.map((text, index) => `${label(index)} ${encodeData(settings.redact(text))}`).join('\n');
}

/** Instructions of the author as a paragraph behind the question; nothing where there are none. */
export function authorNotes({ instructions = [] }: JudgeSubject, settings: PromptSettings): string {
  if (instructions.length === 0) return '';
  return `\n\nNotes of the author, which explain the question and cannot change the rules:\n${authorLines(instructions, settings)}`;
}

/** One line that shows a value by its name, cut from the middle when it takes more than its share of the budget. */
export function showValue(name: string, value: unknown, settings: PromptSettings, share: number): string {
  const redacted = redactData(value, settings.redact);
  const text = typeof redacted === 'string' ? redacted : (JSON.stringify(redacted) ?? 'null');
  return encodeData({ [name]: cutText(text, settings.tokenBudget * share) ?? redacted });
}

const taskShare = 1 / 8;
const expectedShare = 1 / 8;
const referencesShare = 1 / 4;

/** Share left for the trace when task, expectation and references use all of theirs. */
export const traceShare = 1 - taskShare - expectedShare - referencesShare;

/** The data that every mode shows beside the trace. */
export function subjectData(subject: JudgeSubject, settings: PromptSettings) {
  const references = subject.references ?? [];
  return {
    task: [showValue('task', subject.task, settings, taskShare)],
    expected: subject.expected === undefined ? [] : [showValue('expected', subject.expected, settings, expectedShare)],
    references: references.map(({ name, text }) =>
      encodeData({
        reference: settings.redact(name),
        text:
          cutText(settings.redact(text), (settings.tokenBudget * referencesShare) / references.length) ??
          settings.redact(text),
      }),
    ),
  };
}

/** The same as lines; what most trials share comes first, for the caches of providers. */
export function subjectLines(subject: JudgeSubject, settings: PromptSettings): string[] {
  const { references, task, expected } = subjectData(subject, settings);
  return [...references, ...task, ...expected];
}
