import { bedrockConverse } from '../../wire/bedrock-converse/codec.ts';
import type { WireTool } from '../../wire/codec.ts';
import { httpModel } from '../http-model.ts';
import type { ModelRequest } from '../model.ts';
import type { ReplyModel } from '../provider.ts';
import { inRequestedForm } from '../requested-form.ts';
import { wireRequest } from '../wire-request.ts';

interface ConverseConnection {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** The headers of a request, which say who sends it. */
  authorized(url: URL, body: string): Readonly<Record<string, string>>;
}

/** A model of Bedrock by its Converse API. */
export function converseModel(model: string, { baseUrl, fetch, authorized }: ConverseConnection): ReplyModel {
  const url = new URL(`${baseUrl}/model/${encodeURIComponent(model)}/converse`);
  const inner = httpModel({
    codec: bedrockConverse,
    url,
    fetch,
    headersFor: (body) => authorized(url, body),
    bodyOf(request) {
      const form = formOf(request, model);
      const written = wireRequest(request, model);
      return bedrockConverse.writeRequest(form ? { ...written, tools: [form], demandedTool: form.name } : written);
    },
  });
  return {
    async send(request, signal) {
      const reply = await inner.send(request, signal);
      return formOf(request, model) ? inRequestedForm(reply) : reply;
    },
  };
}

/** Only these models can be made to call a certain tool; others get the form from the prompt alone. */
const formModels = /(?:^|[./])(?:anthropic\.claude|amazon\.nova)/;

/** A tool whose input is the answer: Bedrock has no other way to enforce a JSON Schema. */
function formOf({ output, tools = [] }: ModelRequest, model: string): WireTool | undefined {
  if (!output || tools.length > 0 || !formModels.test(model)) return undefined;
  return { name: output.name, description: 'Gives the answer', inputSchema: output.schema };
}
