import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadModelScript } from '../../src/load/scripts.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { runConversation } from '../../src/testing/support/conversation-run.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { scripted } from '../../src/testing/support/models.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Sent {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server in front of a scripted model that lets only requests through that it accepts, and keeps all of them. */
async function border(rules: Parameters<typeof scripted>[0]['rules'], accepts: (sent: Sent) => boolean) {
  const model = await scripted({ rules });
  const requests: Sent[] = [];
  const url = await serve(async (request, response) => {
    const sent = { url: request.url ?? '', headers: request.headers, body: await bodyOf(request) };
    requests.push(sent);
    if (!accepts(sent)) {
      response.writeHead(403).end(JSON.stringify({ message: 'The signature does not match.' }));
      return;
    }
    const headers = { 'content-type': 'application/json', 'anthropic-version': 'x' };
    const answer = await fetch(`${model.url}${sent.url}`, { method: 'POST', headers, body: sent.body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  return { url, requests, model };
}

const tools = `export const add = ({ a, b }) => a + b;`;
const scenario = (model: string, more: object = {}) => ({
  name: 'Sum',
  connector: {
    type: 'model',
    config: { model, instructions: 'You add.' },
    toolLoop: { tools: [{ name: 'add', description: 'Adds', module: './tools.mjs', export: 'add' }] },
  },
  userMessages: ['How much is 2 and 3?'],
  evaluators: [{ type: 'contains', config: { text: '5' } }],
  ...more,
});
const files = { 'tools.mjs': tools };
const adding = [
  { when: { toolResult: '5' }, reply: 'That is 5.', usage: { input: 40, output: 4 } },
  { when: { tool: 'add' }, toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }], usage: { input: 20, output: 2 } },
];

const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYSECRETKEY1';
const sessionToken = 'IQoJb3JpZ2luX2VjEXAMPLETOKEN0123456789';
const awsEnv = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
  AWS_REGION: 'eu-west-1',
};
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

/** Whether a request carries the signature that its content has under the secret, computed as AWS documents it. */
function isSigned({ url, headers, body }: Sent): boolean {
  const [, date = '', region = '', service = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`);
  const path = url.split('/').map(encodeURIComponent).join('/');
  const canonical = `POST\n${path}\n\n${lines.join('')}\n${names}\n${hash(body)}`;
  const text = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${date}/${region}/${service}/aws4_request\n${hash(canonical)}`;
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${secretAccessKey}`);
  const isComplete = ['host', 'x-amz-date', 'x-amz-security-token'].every((name) => names.split(';').includes(name));
  return isComplete && service === 'bedrock' && mac(key, text).toString('hex') === signature;
}

describe('Amazon Bedrock', () => {
  it('is sent signed requests of its Converse API, with tools and their results', async () => {
    const { url, requests } = await border(adding, isSigned);
    const env = { ...awsEnv, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url };
    const { trial, trace } = await runConversation(scenario(`bedrock/${claude}`), { files, env });
    expect(trial, trial.reason).toMatchObject({ outcome: 'pass', usage: { inputTokens: 60, outputTokens: 6 } });
    expect(trial.costUsd).toBeGreaterThan(0);
    expect(requests.map((sent) => sent.url)).toEqual(Array(2).fill(`/model/${encodeURIComponent(claude)}/converse`));
    expect(requests[0]?.headers).toMatchObject({ 'x-amz-security-token': sessionToken });
    expect(requests[0]?.headers.authorization).toContain('/eu-west-1/bedrock/aws4_request');
    const { messages, system, toolConfig } = JSON.parse(requests[1]?.body ?? '');
    expect(system).toEqual([{ text: 'You add.' }]);
    expect(toolConfig.tools).toMatchObject([{ toolSpec: { name: 'add', inputSchema: { json: { type: 'object' } } } }]);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1].content).toMatchObject([{ toolUse: { name: 'add', input: { a: 2, b: 3 } } }]);
    expect(messages[2].content).toMatchObject([{ toolResult: { content: [{ text: '5' }] } }]);
    expect(JSON.stringify(trace)).not.toContain(sessionToken);
  });

  it('gets no second request after it refused a signature, and none under a limit without a price; no secret is shown', async () => {
    const { url, requests } = await border(adding, isSigned);
    const env = { ...awsEnv, AWS_SECRET_ACCESS_KEY: 'wrong-secret-0123456789', AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url };
    const { trial, stdout } = await runConversation(scenario(`bedrock/${claude}`), { files, env });
    expect(trial).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_UNAUTHORIZED' } });
    expect(requests).toHaveLength(1);
    expect(stdout).not.toContain('wrong-secret-0123456789');
    const limited = runConversation(scenario('bedrock/unpriced-model'), { files, env, flags: ['--max-usd', '1'] });
    await expect(limited).rejects.toThrow('bedrock/unpriced-model');
    expect(requests).toHaveLength(1);
  });

  it('judges by its API key, and is made to answer in the form of the verdict', async () => {
    const key = 'bedrock-api-key-0123456789';
    const verdict = {
      id: 'success-1',
      reasoning: 'r',
      evidence: [{ event: 'e2', quote: 'It is five' }],
      answer: 'met',
    };
    const rules = [{ reply: { json: { criteria: [verdict], confidence: 1 } } }];
    const { url, requests } = await border(rules, ({ headers }) => headers.authorization === `Bearer ${key}`);
    const judged = { name: 'Sum', successCriteria: 'It says five', judge: { model: `aws/${claude}` } };
    const connector = { type: 'module', config: { module: './five.mjs' } };
    const env = { AWS_BEARER_TOKEN_BEDROCK: key, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url };
    const { trial } = await runConversation(
      { ...judged, connector, userMessages: ['2 and 3?'] },
      { files: { 'five.mjs': `export default () => 'It is five';` }, env },
    );
    expect(trial, trial.reason).toMatchObject({ outcome: 'pass', judge: { model: `bedrock/${claude}` } });
    const { toolConfig } = JSON.parse(requests[0]?.body ?? '');
    expect(toolConfig.toolChoice).toEqual({ tool: { name: 'criteria_verdict' } });
  });
});

describe('Vertex AI', () => {
  const place = { GOOGLE_CLOUD_PROJECT: 'my-project', GOOGLE_CLOUD_LOCATION: 'europe-west4' };
  const path = '/v1/projects/my-project/locations/europe-west4';
  const token = 'ya29-not-a-real-token-0123456789';

  it.each([
    ['gemini-2.5-flash', `${path}/publishers/google/models/gemini-2.5-flash:generateContent`],
    ['claude-sonnet-4-5@20250929', `${path}/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict`],
    ['meta/llama-3.3-70b-instruct-maas', `${path}/endpoints/openapi/chat/completions`],
  ])('is sent requests for %s with an access token, and no key', async (model, url) => {
    const server = await border(adding, ({ headers }) => headers.authorization === `Bearer ${token}`);
    const env = { ...place, GOOGLE_VERTEX_BASE_URL: server.url, GOOGLE_VERTEX_ACCESS_TOKEN: token };
    const { trial } = await runConversation(scenario(`vertex/${model}`), { files, env });
    expect(trial, trial.reason).toMatchObject({ outcome: 'pass', usage: { inputTokens: 60, outputTokens: 6 } });
    expect(server.requests.map((sent) => sent.url)).toEqual([url, url]);
    const { headers, body } = server.requests[0] as Sent;
    for (const name of ['x-api-key', 'x-goog-api-key', 'anthropic-version']) expect(headers).not.toHaveProperty(name);
    const isClaude = model.startsWith('claude-');
    expect(JSON.parse(body).anthropic_version).toBe(isClaude ? 'vertex-2023-10-16' : undefined);
    if (isClaude) expect(JSON.parse(body)).not.toHaveProperty('model');
  });

  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    type: 'service_account',
    client_email: 'assay@my-project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'k1',
  };

  it('gets one token for the requests of a service account, by a statement that the account signed', async () => {
    const grants: string[] = [];
    const tokenUri = await serve(async (request, response) => {
      const grant = new URLSearchParams(await bodyOf(request));
      const [header = '', claims = '', signature = ''] = grant.get('assertion')?.split('.') ?? [];
      const verifier = createVerify('RSA-SHA256').update(`${header}.${claims}`);
      if (!verifier.verify(publicKey, signature, 'base64url')) return void response.writeHead(400).end('{}');
      grants.push(grant.get('grant_type') ?? '', Buffer.from(claims, 'base64url').toString());
      response.end(JSON.stringify({ access_token: token, expires_in: 3600 }));
    });
    const server = await border(adding, ({ headers }) => headers.authorization === `Bearer ${token}`);
    const env = { ...place, GOOGLE_VERTEX_BASE_URL: server.url, GOOGLE_APPLICATION_CREDENTIALS: 'account.json' };
    const folder = await temporaryFolder({ 'account.json': JSON.stringify({ ...account, token_uri: tokenUri }) });
    const inFolder = { ...env, GOOGLE_APPLICATION_CREDENTIALS: `${folder}/account.json` };
    const { trial, trace } = await runConversation(scenario('vertex/gemini-2.5-flash'), { files, env: inFolder });
    expect(trial, trial.reason).toMatchObject({ outcome: 'pass' });
    expect(grants).toHaveLength(2);
    expect(grants[0]).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(JSON.parse(grants[1] ?? '')).toMatchObject({ iss: account.client_email, aud: tokenUri });
    expect(JSON.stringify(trace)).not.toContain(token);
  });

  it('says why there is no token', async () => {
    const tokenUri = await serve((_, response) => response.writeHead(400).end('{"error":"invalid_grant"}'));
    const folder = await temporaryFolder({
      'account.json': JSON.stringify({ ...account, token_uri: tokenUri }),
      'wrong.json': JSON.stringify({ type: 'service_account' }),
    });
    const run = async (file: string) => {
      const env = { ...place, GOOGLE_APPLICATION_CREDENTIALS: `${folder}/${file}` };
      return (await runConversation(scenario('vertex/gemini-2.5-flash'), { files, env })).trial;
    };
    expect(await run('account.json')).toMatchObject({
      outcome: 'error',
      reason: expect.stringContaining('no access token from Google (status 400, invalid_grant)'),
      fault: { code: 'MODEL_UNAUTHORIZED' },
    });
    for (const file of ['wrong.json', 'nowhere.json']) {
      expect(await run(file)).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_NO_KEY' } });
    }
  });
});

it('gives the results of the example', async () => {
  const model = await scripted(await loadModelScript('examples/bare-model/model.yaml', root));
  const place = { AWS_REGION: 'eu-west-1', GOOGLE_CLOUD_PROJECT: 'any' };
  const env = { ...model.environment, ...place, AWS_BEARER_TOKEN_BEDROCK: 'any', GOOGLE_VERTEX_ACCESS_TOKEN: 'any' };
  const args = ['run', 'clouds.yaml', '--json', '--no-cache', ...(await storeElsewhere())];
  const { stdout, exitCode } = await assay(args, { cwd: `${root}/examples/bare-model`, env });
  expect(exitCode, stdout).toBe(0);
  expect(JSON.parse(stdout).trials).toMatchObject([
    { outcome: 'pass', variant: { model: expect.stringContaining('bedrock/') } },
    { outcome: 'pass', variant: { model: 'vertex/gemini-2.5-flash' } },
  ]);
  expect(
    model
      .log()
      .map(({ path }) => path)
      .sort(),
  ).toEqual([...Array(3).fill('converse'), ...Array(3).fill('gemini')]);
});

it('names the variables that are missing', async () => {
  const cwd = await temporaryFolder({});
  const missing = async (model: string, env: Record<string, string>) => {
    const { stdout } = await assay(['models', model, '--json'], { cwd, env });
    return JSON.parse(stdout).provider;
  };
  expect((await missing('bedrock/x', {})).missing).toContain('the environment variable AWS_REGION');
  const noKey = await missing('bedrock/x', { AWS_REGION: 'eu-west-1' });
  expect(noKey).toMatchObject({ baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com', hasKey: false });
  expect(noKey.missing).toContain('AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID');
  expect(await missing('bedrock/x', awsEnv)).toMatchObject({ hasKey: true, missing: null });
  expect((await missing('vertex/x', {})).missing).toContain('the environment variable GOOGLE_CLOUD_PROJECT');
  const vertex = await missing('vertex/x', {
    GOOGLE_CLOUD_PROJECT: 'p',
    GOOGLE_VERTEX_ACCESS_TOKEN: 'token-0123456789',
  });
  expect(vertex).toMatchObject({
    baseUrl: 'https://aiplatform.googleapis.com/v1/projects/p/locations/global',
    missing: null,
  });
});
