import { projectRedaction } from '../../../compose/config/redaction.ts';
import { tryConnector } from '../../../compose/run/try-connector.ts';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { messageText } from '../../../domain/message.ts';
import {
  type ConnectorTest,
  connectorTestSchema,
  deleteRevisionSchema,
  namedPartsSchema,
  tryConnectorSchema,
  writeNamedPartSchema,
} from '../api/project.ts';
import type { ServerContext } from '../context.ts';
import type { PartSection } from '../files/named-parts.ts';
import { portraitResponse, readPortrait } from '../files/portraits.ts';
import { doneOrConflict } from '../files/project-files.ts';
import { type ApiRoute, route, tagged } from '../route.ts';

const timeoutMs = 20_000;
const longestReply = 10_000;

/** Sends one message to the agent behind a connector; a failure is reported with a hint. */
async function testConnector(
  name: string,
  message = 'Hello',
  signal: AbortSignal,
  { env, project: current, signal: ending }: Pick<ServerContext, 'env' | 'project' | 'signal'>,
): Promise<ConnectorTest> {
  const project = await current();
  const redact = projectRedaction(project, env);
  try {
    const either = AbortSignal.any([signal, ending]);
    const { messages, latencyMs } = await tryConnector(project, { name, message, timeoutMs, env, signal: either });
    const answer = messages.filter(({ role }) => role === 'assistant').map(messageText);
    const reply = redact(answer.filter((text) => text !== '').join('\n\n')).slice(0, longestReply);
    return { isReached: true, latencyMs, reply, problem: null };
  } catch (error) {
    const { message: what, hint, code } = asAssayError(error);
    if (code === 'NOT_FOUND') throw error;
    return { isReached: false, latencyMs: null, reply: null, problem: { message: redact(what), hint: redact(hint) } };
  }
}

async function sendPortrait(name: string, { folder, projectCache }: ServerContext): Promise<Response> {
  const { items } = await projectCache.parts.personas.read();
  const portrait = items.find((item) => item.name === name)?.value.portrait;
  if (typeof portrait !== 'string') throw new AssayError('NOT_FOUND', `The persona "${name}" names no portrait.`);
  return portraitResponse(await readPortrait(folder, portrait));
}

/** Personas, connectors and evals, which stand in the config file. */
export const namedPartRoutes = [
  ...routesOf('personas'),
  ...routesOf('connectors'),
  ...routesOf('evals'),
  ...tagged('personas', [
    route('GET /api/personas/{name}/portrait', 'reader', {
      summary: 'The image that a persona names as its portrait.',
      answer: { mediaTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'], description: 'the image' },
      handle: ({ params: { name } }, context) => sendPortrait(name, context),
    }),
  ]),
  ...tagged('connectors', [
    route('POST /api/connectors/{name}/test', 'runner', {
      summary: 'Sends one message to the agent behind a connector and returns its reply.',
      body: tryConnectorSchema,
      answer: connectorTestSchema,
      handle: ({ params: { name }, body, raw }, context) => testConnector(name, body.message, raw.signal, context),
    }),
  ]),
];

function routesOf(section: PartSection): ApiRoute[] {
  return tagged(section, [
    route(`GET /api/${section}`, 'reader', {
      summary: `The ${section} of the config file as they are written; secrets are masked.`,
      answer: namedPartsSchema,
      handle: (_request, { projectCache }) => projectCache.parts[section].read(),
    }),
    route(`PUT /api/${section}/{name}`, 'editor', {
      summary: 'Writes one into the config file, which is created if missing; comments stay.',
      body: writeNamedPartSchema,
      answer: namedPartsSchema,
      handle: async ({ params: { name }, body }, { projectCache }) =>
        doneOrConflict(await projectCache.parts[section].write(name, body)),
    }),
    route(`DELETE /api/${section}/{name}`, 'editor', {
      summary: 'Removes one from the config file.',
      body: deleteRevisionSchema,
      answer: namedPartsSchema,
      handle: async ({ params: { name }, body }, { projectCache }) =>
        doneOrConflict(await projectCache.parts[section].delete(name, body.revision)),
    }),
  ]);
}
