import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Collector } from '../../compose/collect/collector.ts';
import { feedbackSchema } from '../../load/collect/feedback.ts';
import { parseJson } from '../../shared/json.ts';
import { OtlpRefusal, refusalOf } from './otlp-refusal.ts';
import { readBody } from './request-body.ts';

interface FeedbackOptions {
  /** The collector that a request is for. */
  collectorOf(request: IncomingMessage): Promise<Pick<Collector, 'label'>>;
  /** Throws a refusal for a request that may not send labels. */
  authorise(request: IncomingMessage): void;
  /** Receives errors that clients only see as 503. */
  warn(message: string): void;
}

/** The path of labels, below that of a project or not. */
export const feedbackPath = /^(?:\/projects\/[^/]+)?\/v1\/feedback\/?(?:\?|$)/;

/** Answers `POST /v1/feedback`: 204 means that the label is durable. */
export function feedbackReceiver({
  collectorOf,
  authorise,
  warn,
}: FeedbackOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    try {
      if (request.method !== 'POST') throw new OtlpRefusal(405, 'Only POST is supported.');
      authorise(request);
      const parsed = feedbackSchema.safeParse(parseJson((await readBody(request)).toString('utf8')));
      if (!parsed.success) throw new OtlpRefusal(400, wrongBody);
      const collector = await collectorOf(request);
      await collector.label(parsed.data);
      response.writeHead(204).end();
    } catch (error) {
      const { status, message, rpcCode: code } = refusalOf(error);
      if (status === 503) warn(error instanceof Error ? error.message : String(error));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message }));
    }
  };
}

const wrongBody =
  'The body must be JSON: {"traceId": 32 hex digits, "label": "pass" or "fail", "rater"?: text, "note"?: text}.';
