import { eachTrial } from '../../../keep/store/store.ts';
import type { StoredRun } from '../reporter.ts';
import { attributesOf } from './attributes.ts';
import { trialSpans } from './trial-spans.ts';

/** Each trial as a line with a trace of its own; one trace at a time is in memory. */
export async function* tracesOf({ store, summary }: StoredRun): AsyncGenerator<string, void> {
  const { runId, assayVersion: version, request } = summary.run;
  const resource = {
    attributes: attributesOf({
      'service.name': 'assay',
      'service.version': version,
      'assay.run.id': runId,
      'assay.run.name': request.name,
    }),
  };
  const scope = { name: 'assay', version };
  for await (const record of eachTrial(store, runId)) {
    const trace = (await store.readTrace(record.trialId)) ?? [];
    const spans = trialSpans(record, trace);
    yield `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] })}\n`;
  }
}
