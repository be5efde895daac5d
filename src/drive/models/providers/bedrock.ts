import { bedrockConverse } from '../../wire/bedrock-converse/codec.ts';
import { asDemandedTool, httpModel } from '../http-model.ts';
import { type Environment, type Provider, plainProvider } from '../provider.ts';
import { signedHeaders } from './aws-signature.ts';

/** Amazon Bedrock by its Converse API, which is the same for all of its models. */
export const bedrock: Provider = {
  ...plainProvider,
  name: 'bedrock',
  aliases: ['aws', 'amazon-bedrock'],
  summary: 'Amazon Bedrock, by its Converse API',
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  baseUrlVariable: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  priceName: 'aws',
  environment: {
    credentialVariables: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    addressVariables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    read(env) {
      const credentials = credentialsIn(env);
      const region = regionIn(env);
      return {
        baseUrl: region === undefined ? undefined : `https://bedrock-runtime.${region}.amazonaws.com`,
        hasCredentials: credentials !== undefined,
        secrets: [credentials?.secretAccessKey ?? '', credentials?.sessionToken ?? ''],
      };
    },
  },
  open(model, { baseUrl, apiKey, headers, send, env }) {
    const credentials = apiKey === '' ? credentialsIn(env) : undefined;
    const region = /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\./.exec(baseUrl)?.[1] ?? regionIn(env) ?? '';
    return httpModel({
      ...{ model, codec: bedrockConverse, url: `${baseUrl}/model/${encodeURIComponent(model)}/converse`, send },
      write: (request) => bedrockConverse.writeRequest(formModels.test(model) ? asDemandedTool(request) : request),
      headers(body, url) {
        const sent = { ...headers, 'content-type': 'application/json' };
        if (!credentials) return { ...sent, authorization: `Bearer ${apiKey}` };
        const scope = { region, service: 'bedrock', now: new Date() };
        return signedHeaders({ method: 'POST', url, headers: sent, body }, credentials, scope);
      },
    });
  },
};

/** Only these models can be made to call a certain tool; others get the form from the prompt alone. */
const formModels = /(?:^|[./])(?:anthropic\.claude|amazon\.nova)/;

function credentialsIn(env: Environment) {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    env.AWS_ACCESS_KEY_ID?.trim(),
    env.AWS_SECRET_ACCESS_KEY?.trim(),
    env.AWS_SESSION_TOKEN?.trim() || undefined,
  ];
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined;
}

function regionIn(env: Environment): string | undefined {
  const region = env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || undefined;
  return region !== undefined && /^[a-z0-9-]+$/.test(region) ? region : undefined;
}
