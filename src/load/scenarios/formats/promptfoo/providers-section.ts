import type { ConnectorSpec } from '../../../../drive/conversation/conversation-config.ts';
import { isRecord, mapTexts, parseJson } from '../../../../shared/json.ts';
import { readCode, transformStep } from './code-section.ts';
import { Located, type PromptfooReading, refuseOtherKeys } from './located.ts';
import { dataOfFile, isCode, referenceIn } from './referenced-files.ts';

/** A provider as a connector. */
export interface Provider {
  readonly name: string;
  readonly spec: ConnectorSpec;
  readonly item: Located;
  /** Labels of the prompts that it gets; undefined for all. */
  readonly prompts: readonly string[] | undefined;
}

const bodyFields = {
  openai: [
    ...['top_p', 'frequency_penalty', 'presence_penalty', 'stop', 'seed', 'response_format', 'tool_choice'],
    ...['parallel_tool_calls', 'reasoning_effort', 'reasoning', 'max_completion_tokens', 'max_output_tokens'],
    ...['logit_bias', 'user', 'store', 'metadata', 'text', 'verbosity', 'service_tier'],
  ],
  anthropic: ['top_p', 'top_k', 'stop_sequences', 'tool_choice', 'thinking', 'metadata', 'service_tier'],
} as const;

const addressFields = ['apiKey', 'apiKeyEnvar', 'apiBaseUrl', 'apiHost', 'headers', 'organization'];

/** Reads all providers of a config. */
export async function readProviders(
  section: Located,
  hasChats: boolean,
  reading: PromptfooReading,
): Promise<Provider[]> {
  const providers: Provider[] = [];
  for (const item of section.items()) providers.push(...(await readProvider(item, hasChats, reading)));
  const names = new Set<string>();
  return providers.map((provider) => {
    const name = names.has(provider.name) ? `${provider.name} (${names.size + 1})` : provider.name;
    names.add(name);
    return { ...provider, name };
  });
}

async function readProvider(item: Located, hasChats: boolean, reading: PromptfooReading): Promise<Provider[]> {
  if (item.text !== undefined) {
    const reference = referenceIn(item.text);
    if (reference) return readProviderFile(reference.path, item, hasChats, reading);
    return built(item.text, item, undefined, hasChats, reading);
  }
  if (!isRecord(item.value)) {
    reading.found.problems.push(item.problem('a provider must be a text or an object with an `id`'));
    return [];
  }
  const id = item.get('id').text;
  if (id !== undefined) {
    if (referenceIn(id)) return readProviderFile(referenceIn(id)?.path ?? '', item.get('id'), hasChats, reading);
    return built(id, item, item, hasChats, reading);
  }
  const [[name, options] = [], ...others] = item.entries();
  if (name !== undefined && options && others.length === 0 && isRecord(options.value)) {
    return built(name, item, options, hasChats, reading);
  }
  reading.found.problems.push(item.problem('a provider needs an `id`'));
  return [];
}

async function readProviderFile(
  path: string,
  item: Located,
  hasChats: boolean,
  reading: PromptfooReading,
): Promise<Provider[]> {
  if (isCode(path) || /\.(?:py|rb|go)$/i.test(path)) {
    const hint = 'Use `exec: <command>`, or a conversation with a connector of the type `module`.';
    reading.found.problems.push(item.problem(`a provider from ${path} has no equal in Assay`, hint));
    return [];
  }
  const data = await dataOfFile(path, item, reading);
  return data ? readProviders(data, hasChats, reading) : [];
}

/** Provider with what its kind makes of its config. */
function built(
  id: string,
  item: Located,
  options: Located | undefined,
  hasChats: boolean,
  reading: PromptfooReading,
): Provider[] {
  const supported = ['id', 'label', 'config', 'transform', 'prompts'];
  if (options) refuseOtherKeys(options, supported, 'of a provider', reading);
  const config = options?.get('config') ?? new Located(undefined, item.source, item.path);
  const kind = kinds.find(({ pattern }) => pattern.test(id));
  if (!kind) {
    const hint =
      'Use openai:…, anthropic:…, an http or https address, or exec: …; write a conversation with the connector `model` for others.';
    reading.found.problems.push(item.problem(`the provider "${id}" has no equal in Assay`, hint));
    return [];
  }
  const spec = kind.build(id, config, item, { hasChats, reading });
  if (!spec) return [];
  const transform = options?.get('transform');
  const code = transform && !transform.isMissing ? readCode(transform, '`transform`', reading) : undefined;
  const steps = [
    ...(spec.transform === undefined ? [] : [spec.transform].flat()),
    ...(code ? [transformStep(code)] : []),
  ];
  const labels = options?.get('prompts');
  return [
    {
      name: options?.get('label').text ?? id,
      spec: { ...spec, ...(steps.length > 0 && { transform: steps }) },
      item,
      prompts: labels && !labels.isMissing ? labels.items().flatMap(({ text }) => text ?? []) : undefined,
    },
  ];
}

interface BuildContext {
  readonly hasChats: boolean;
  readonly reading: PromptfooReading;
}

type Build = (id: string, config: Located, item: Located, context: BuildContext) => ConnectorSpec | undefined;

const kinds: readonly { readonly pattern: RegExp; readonly build: Build }[] = [
  {
    pattern: /^openai:(?!(?:embeddings?|assistant|realtime|image|completion|moderation|transcription):)/,
    build: openai,
  },
  { pattern: /^anthropic:(?:messages:|claude)/, build: anthropic },
  { pattern: /^https?(?:$|:\/\/)/, build: http },
  { pattern: /^exec:/, build: exec },
];

function openai(id: string, config: Located, _item: Located, { reading }: BuildContext): ConnectorSpec {
  const [, form, named] = /^openai:(?:(chat|responses):)?(.*)$/.exec(id) ?? [];
  const type = form === 'responses' ? 'openai-responses' : 'openai-chat';
  return { type, ...modelSpec('openai', named ?? '', config, reading) };
}

function anthropic(id: string, config: Located, _item: Located, { reading }: BuildContext): ConnectorSpec {
  return { type: 'anthropic', ...modelSpec('anthropic', id.replace(/^anthropic:(?:messages:)?/, ''), config, reading) };
}

/** Connector to a model, from the config of a provider. */
function modelSpec(
  provider: 'openai' | 'anthropic',
  model: string,
  config: Located,
  reading: PromptfooReading,
): Pick<ConnectorSpec, 'baseUrl' | 'headers' | 'config' | 'transform'> {
  const plain = ['temperature', 'max_tokens', 'tools', 'passthrough'];
  refuseOtherKeys(config, [...addressFields, ...plain, ...bodyFields[provider]], 'of this provider', reading);
  const fields = isRecord(config.value) ? config.value : {};
  for (const [key, { text }] of config.entries()) {
    if (text !== undefined && referenceIn(text)) {
      const message = `\`${key}\` from a file has no equal in Assay`;
      reading.found.problems.push({ at: config.keyAt(key), message, hint: 'Write its content into the config.' });
    }
  }
  const body = Object.fromEntries(bodyFields[provider].flatMap((key) => (key in fields ? [[key, fields[key]]] : [])));
  const passthrough = isRecord(fields.passthrough) ? fields.passthrough : {};
  const format = isRecord(fields.response_format) ? fields.response_format.type : undefined;
  return {
    ...addressOf(provider, config),
    config: {
      model,
      ...(fields.temperature !== undefined && { temperature: fields.temperature }),
      ...(fields.max_tokens !== undefined && { maxTokens: fields.max_tokens }),
      ...(fields.tools !== undefined && { tools: fields.tools }),
      body: { ...body, ...passthrough },
    },
    // Such answers are objects in promptfoo.
    ...(format === 'json_schema' && { transform: 'JSON.parse(output)' }),
  };
}

function addressOf(provider: 'openai' | 'anthropic', config: Located): Pick<ConnectorSpec, 'baseUrl' | 'headers'> {
  const text = (key: string): string | undefined => {
    const written = config.get(key).text;
    return written === undefined ? undefined : withVariables(written);
  };
  const variable = config.get('apiKeyEnvar').text;
  const key = text('apiKey') ?? (variable === undefined ? undefined : `\${${variable}}`);
  const host = text('apiHost');
  const baseUrl = text('apiBaseUrl') ?? (host === undefined ? undefined : `https://${host}/v1`);
  const organization = text('organization');
  const ofKey = provider === 'openai' ? { authorization: `Bearer ${key}` } : { 'x-api-key': String(key) };
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    headers: {
      ...(key !== undefined && ofKey),
      ...(organization !== undefined && { 'OpenAI-Organization': organization }),
      ...textsOf(config.get('headers')),
    },
  };
}

/** Texts by name, with variables in the notation of Assay. */
function textsOf(item: Located): Record<string, string> {
  return Object.fromEntries(item.entries().map(([key, { value }]) => [key, withVariables(String(value))]));
}

/** Variables of the environment in the notation of Assay. */
function withVariables(text: string): string {
  return text.replace(/\{\{\s*env\.(\w+)\s*\}\}/g, (_, name: string) => `\${${name}}`);
}

function http(
  id: string,
  config: Located,
  item: Located,
  { hasChats, reading }: BuildContext,
): ConnectorSpec | undefined {
  const supported = ['url', 'method', 'headers', 'body', 'queryParams', 'transformResponse', 'responseParser'];
  refuseOtherKeys(config, supported, 'of an HTTP provider', reading);
  const url = config.get('url').text ?? (id.includes('://') ? id : undefined);
  if (url === undefined) {
    reading.found.problems.push(item.problem('`url` of the HTTP provider is missing'));
    return undefined;
  }
  const method = (config.get('method').text ?? 'GET').toUpperCase();
  const sent = method === 'GET' ? config.get('queryParams') : config.get('body');
  if (method !== 'GET' && !config.get('queryParams').isMissing) {
    const message = `\`queryParams\` of a ${method} request have no equal in Assay`;
    reading.found.problems.push(config.get('queryParams').problem(message, 'Add them to the `url`.'));
  }
  if (sent.isMissing) {
    const key = method === 'GET' ? 'queryParams' : 'body';
    const hint = config.get('body').isMissing ? undefined : 'Add `method: POST`; promptfoo sends GET without it.';
    reading.found.problems.push(
      item.problem(`\`${key}\` of the HTTP provider is missing: the prompt is not sent`, hint),
    );
    return undefined;
  }
  const body = bodyOf(sent, hasChats, reading);
  const step = responseStep(config, reading);
  refuseTemplates(new Located(withVariables(url), config.source, config.get('url').path), reading);
  return {
    type: 'http',
    baseUrl: withVariables(url),
    headers: textsOf(config.get('headers')),
    config: { method, body, response: { text: '$' } },
    transform: step,
  };
}

/** The body with the placeholders of Assay. */
function bodyOf(item: Located, hasChats: boolean, reading: PromptfooReading): unknown {
  const data = item.text === undefined ? item.value : parseJson(item.text);
  if (data === undefined) {
    const message = 'a body that is not JSON before the prompt is filled in has no equal in Assay';
    reading.found.problems.push(item.problem(message, 'Write it as an object, with `{{prompt}}` as a text.'));
    return undefined;
  }
  return mapTexts(data, (text) => {
    const own = text.replace(
      /\{\{\s*prompt(?:\s*\|\s*(?:dump|safe))?\s*\}\}/g,
      hasChats ? '{{messages}}' : '{{message}}',
    );
    const other = /\{\{(?!message)[^}]*\}\}|\{%/.exec(own);
    if (other) {
      const message = `\`${other[0]}\` in the body has no equal in Assay; only \`{{prompt}}\` is supported`;
      reading.found.problems.push(item.problem(message));
    }
    return own;
  });
}

function refuseTemplates(item: Located, reading: PromptfooReading): void {
  if (/\{\{|\{%/.test(item.text ?? ''))
    reading.found.problems.push(item.problem('templates in an address have no equal in Assay'));
}

const parsed = 'const text = output; let json = null; try { json = JSON.parse(output); } catch {}';

/** JavaScript that makes the output of an answer's body, as promptfoo does. */
function responseStep(config: Located, reading: PromptfooReading): string {
  const item = config.get('transformResponse').isMissing
    ? config.get('responseParser')
    : config.get('transformResponse');
  const code = item.isMissing ? { code: 'json ?? text' } : readCode(item, '`transformResponse`', reading);
  if (!code) return 'output';
  if (!('code' in code)) {
    const message = '`transformResponse` from a file has no equal in Assay';
    reading.found.problems.push(item.problem(message, 'Write it as an expression over `json` and `text`.'));
    return 'output';
  }
  const source = code.code.trim().replace(/;+$/, '');
  const isBody = /^return\b|[;\n]\s*return\b/.test(source) && !/^(?:async\s+)?(?:function\b|\()/.test(source);
  const body = isBody
    ? source
    : `const made = (${source}\n); return typeof made === 'function' ? made(json, text) : made;`;
  return `${parsed}\n${body}`;
}

function exec(id: string, config: Located, item: Located, { hasChats, reading }: BuildContext): ConnectorSpec {
  refuseOtherKeys(config, [], 'of an exec provider', reading);
  if (hasChats) {
    const hint = 'Write the prompt as a text.';
    reading.found.problems.push(item.problem('a chat prompt for an exec provider has no equal in Assay', hint));
  }
  return { type: 'command', headers: {}, config: { command: id.replace(/^exec:\s*/, '') } };
}
