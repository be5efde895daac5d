import * as z from 'zod';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { nameOf } from '../imports/coerce.ts';
import { type OtlpSpan, spansIn } from '../imports/formats/otlp/otlp-span.ts';
import { type ReceivedSpan, resourceSpansOf } from './read-export.ts';

/** A person's label of a trace: the body of `POST /v1/feedback`. */
export const feedbackSchema = lazySchema(() =>
  z.strictObject({
    traceId: z
      .string()
      .regex(/^[0-9a-f]{32}$/i, 'must have 32 hex digits')
      .transform((id) => id.toLowerCase()),
    label: z.enum(['pass', 'fail']),
    rater: z.string().min(1).max(200).optional(),
    note: z.string().max(10_000).optional(),
  }),
);
export type Feedback = z.output<typeof feedbackSchema>;

const goodWords = /^(?:pass(?:ed)?|good|correct|positive|yes|true|like|(?:thumbs?[-_ ]?)?up|👍)$/i;
const badWords = /^(?:fail(?:ed)?|bad|incorrect|wrong|negative|no|false|dislike|(?:thumbs?[-_ ]?)?down|👎)$/i;
/** The conventions of OpenTelemetry do not say who evaluated, so the name has to. */
const personNames = /feedback|thumbs|human|\buser[-_. ]/i;
const annotationName = /^(?:trace\.|session\.)?(?:annotations|evaluations)\.\d+\.(?:annotation|evaluation)\./;

/** Labels of people in spans: evaluation events named as feedback, and annotations of OpenInference by humans. */
export function feedbackIn(spans: readonly ReceivedSpan[]): Feedback[] {
  return spans
    .filter(({ body }) => /gen_ai\.evaluation\.|\.annotator_kind"/.test(body))
    .flatMap((span) => spansIn(resourceSpansOf(span), 1).spans)
    .flatMap((span) => [...evaluationsIn(span), ...annotationsIn(span)]);
}

function evaluationsIn({ traceId, attributes, events }: OtlpSpan): Feedback[] {
  return [attributes, ...events.map((event) => event.attributes)].flatMap((place) => {
    const name = nameOf(place['gen_ai.evaluation.name']) ?? '';
    if (!personNames.test(name)) return [];
    const note = nameOf(place['gen_ai.evaluation.explanation']);
    return feedback(
      traceId,
      place['gen_ai.evaluation.score.label'],
      place['gen_ai.evaluation.score.value'],
      name,
      note,
    );
  });
}

function annotationsIn({ traceId, attributes }: OtlpSpan): Feedback[] {
  const prefixes = new Set(Object.keys(attributes).flatMap((key) => annotationName.exec(key)?.[0] ?? []));
  return [...prefixes].flatMap((prefix) => {
    const of = (field: string): unknown => attributes[`${prefix}${field}`];
    if (nameOf(of('annotator_kind'))?.toUpperCase() !== 'HUMAN') return [];
    const rater = nameOf(of('identifier')) ?? nameOf(of('name')) ?? 'annotation';
    return feedback(traceId, of('label'), of('score'), rater, nameOf(of('explanation')));
  });
}

/** A word, or a score of 1, 0 or -1; other scores have no agreed meaning, and give no label. */
function feedback(traceId: string, word: unknown, score: unknown, rater: string, note: string | undefined): Feedback[] {
  const written = nameOf(word)?.trim();
  const isGood = written === undefined ? score === 1 : goodWords.test(written);
  const isBad = written === undefined ? score === 0 || score === -1 : badWords.test(written);
  if (isGood === isBad) return [];
  const label = isGood ? 'pass' : 'fail';
  return [{ traceId, label, rater: rater.slice(0, 200), ...(note !== undefined && { note: note.slice(0, 10_000) }) }];
}
