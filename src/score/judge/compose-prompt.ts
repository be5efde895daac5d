import type { EvidenceSource } from '../../domain/judge-result.ts';
import { cutText, encodeData, redactData } from '../../drive/models/prompting/encode-data.ts';
import { type Nonce, raiseFence } from '../../drive/models/prompting/fence.ts';
import { type Template, templateOf } from '../../drive/models/prompting/template.ts';
import { usualEvidence } from './event-source.ts';
import type { JudgeSubject, PromptSettings } from './judge.ts';
import rulesText from './prompts/rules.v2.md?raw';

/** Last part of every prompt version, because the rules are part of every prompt. */
export const rulesVersion = 'rules.v2';

/** Last part of the prompt version of a judge that may look. */
export const lookVersion = 'look.v1';

const rules = templateOf(rulesText);

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

interface PromptParts {
  /** By placeholder: untrusted lines of JSON. */
  readonly data: Readonly<Record<string, readonly string[]>>;
  /** By placeholder: text of the author or of the program itself. */
  readonly trusted: Readonly<Record<string, string>>;
  readonly evidenceFrom?: readonly EvidenceSource[] | undefined;
}

/** The system and user texts of a prompt, all data behind one fence. */
export function composePrompt(template: Template, parts: PromptParts, nonce: Nonce) {
  const { data, trusted, evidenceFrom = usualEvidence } = parts;
  const fence = raiseFence(Object.values(data).flat(), nonce);
  const filled: Record<string, string> = { ...trusted };
  for (const [name, lines] of Object.entries(data)) filled[name] = fence.wrap(lines);
  const sources = evidenceFrom.map((source) => `"${source}"`).join(' or ');
  return { system: rules({ fence: fence.name, evidenceFrom: sources }), user: template(filled) };
}

/** Texts of the author as a list, one JSON string to a line to keep any from passing for part of the prompt. */
export function authorLines(texts: readonly string[], settings: PromptSettings, label = (_index: number) => '-') {
  if (texts.length === 0) return '(none)';
  return texts.map((text, index) => `${label(index)} ${encodeData(settings.redact(text))}`).join('\n');
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
