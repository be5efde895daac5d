import * as z from 'zod';
import { type Model, metadata, Refusal } from './service.ts';

const datasetBody = z.strictObject({ name: z.string(), description: z.string().optional() });
const itemBody = z.strictObject({
  datasetName: z.literal('shop'),
  id: z.string(),
  input: z.unknown(),
  expectedOutput: z.unknown(),
  metadata,
});
const scoreBody = z
  .strictObject({
    id: z.string(),
    traceId: z.string().length(32),
    observationId: z.string().length(16),
    name: z.string(),
    value: z.number(),
    dataType: z.enum(['BOOLEAN', 'NUMERIC']),
    comment: z.string().optional(),
    environment: z.string().regex(/^(?!langfuse)[a-z0-9_-]+$/),
  })
  .refine(({ dataType, value }) => dataType === 'NUMERIC' || value === 0 || value === 1);

export function langfuseModel(): Model {
  const items = new Map<string, { input: unknown; expectedOutput: unknown; metadata: Record<string, unknown> }>();
  const traces = new Map<string, Record<string, unknown>>();
  const scores = new Map<string, { traceId: string; name: string; value: number }>();
  return {
    authorization: `Basic ${Buffer.from('pk-lf-public-4711:sk-lf-secret-4711').toString('base64')}`,
    envOf: (url) => ({
      LANGFUSE_PUBLIC_KEY: 'pk-lf-public-4711',
      LANGFUSE_SECRET_KEY: 'sk-lf-secret-4711',
      LANGFUSE_BASE_URL: url,
    }),
    routes: {
      'POST /api/public/v2/datasets': ({ body }) => ({ id: 'dataset-1', ...datasetBody.parse(body) }),
      'POST /api/public/dataset-items': ({ body }) => {
        const { id, ...item } = itemBody.parse(body);
        items.set(id, item);
        return { id };
      },
      'POST /api/public/otel/v1/traces': ({ body, headers }) => {
        if (headers['x-langfuse-ingestion-version'] !== '4')
          throw new Refusal(400, 'spans of experiments need version 4');
        for (const [id, attributes] of tracesIn(body)) traces.set(id, attributes);
        return {};
      },
      'POST /api/public/scores': ({ body }) => {
        const score = scoreBody.parse(body);
        scores.set(score.id, score);
        return { id: score.id };
      },
    },
    seen: () => ({
      dataset: [...items.values()].map(({ input, expectedOutput: expected, metadata: { case: name } }) => ({
        input,
        expected,
        case: name,
      })),
      experiments: [...new Set([...traces.values()].map((trace) => String(trace['langfuse.experiment.name'])))],
      runs: [...traces].map(([id, trace]) => {
        const facts = JSON.parse(String(trace['langfuse.observation.metadata']));
        if (!items.has(String(trace['langfuse.experiment.item.id']))) throw new Error('a run without its item');
        return {
          case: facts.case,
          repeat: facts.repeat,
          output: JSON.parse(String(trace['langfuse.observation.output'])),
          isError: facts.outcome === 'error',
          marks: facts.marks,
          scores: Object.fromEntries(
            [...scores.values()].filter(({ traceId }) => traceId === id).map(({ name, value }) => [name, value]),
          ),
        };
      }),
    }),
  };
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** Attributes of the first span of each trace; every span must name its experiment, its item and that span. */
function tracesIn(body: unknown): Map<string, Record<string, unknown>> {
  const message = body as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
  const spans = message.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const roots = new Map<string, Record<string, unknown>>();
  for (const { traceId, spanId, parentSpanId, attributes } of spans) {
    const named = Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
    const wanted = ['id', 'name', 'dataset.id', 'item.id', 'item.root_observation_id'];
    for (const key of wanted) if (!named[`langfuse.experiment.${key}`]) throw new Refusal(400, `a span without ${key}`);
    if (parentSpanId !== undefined) continue;
    if (named['langfuse.experiment.item.root_observation_id'] !== spanId) throw new Refusal(400, 'another first span');
    roots.set(traceId, named);
  }
  return roots;
}
