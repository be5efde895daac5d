import * as z from 'zod';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { requireRole } from '../access/caller.ts';
import {
  activityQuery,
  activitySchema,
  addedTestSchema,
  addTestSchema,
  appDetailSchema,
  definitionHistoryQuery,
  definitionHistorySchema,
  handAnswerSchema,
  handCallSchema,
  handRequestSchema,
  loginAnswerSchema,
  openAppSchema,
  openSessionSchema,
  testPlacesSchema,
  workbenchSessionSchema,
  workbenchSessionsSchema,
} from '../api/workbench.ts';
import { currentSnapshot, definitionHistory } from '../catalog/definition-history.ts';
import { type ApiRoute, jsonRoute, mediaRoute } from '../route.ts';
import { addTest, testPlaces } from '../workbench/add-test.ts';
import { appResponse } from '../workbench/app-page.ts';

const tag = 'mcp';
const sessionParams = z.object({ session: z.string().max(100) });
const callParams = sessionParams.extend({ call: z.string().max(100) });
const requestParams = sessionParams.extend({ request: z.string().max(100) });

/** Sessions with MCP servers: opened, looked at and closed. */
const sessionRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/mcp/sessions',
    tag,
    role: 'reader',
    summary: 'The open sessions with MCP servers.',
    answer: workbenchSessionsSchema,
    handle: async (_request, { workbench }) => workbench.list(),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions',
    tag,
    role: 'runner',
    status: 201,
    summary: 'Starts or connects to an MCP server; whether that succeeds is seen in the activity of the session.',
    body: openSessionSchema,
    answer: workbenchSessionSchema,
    async handle({ body, caller }, { workbench }) {
      // An editor may start any program already, by writing a scenario.
      if ('address' in body) requireRole(caller, 'editor');
      return (await workbench.open(body)).detail();
    },
  }),
  jsonRoute({
    method: 'get',
    path: '/api/mcp/sessions/{session}',
    tag,
    role: 'reader',
    summary: 'A session: the server, and the tools, prompts and resources that it offers.',
    params: sessionParams,
    answer: workbenchSessionSchema,
    handle: async ({ params }, { workbench }) => workbench.find(params.session).detail(),
  }),
  jsonRoute({
    method: 'delete',
    path: '/api/mcp/sessions/{session}',
    tag,
    role: 'runner',
    summary: 'Closes a session and ends its server.',
    params: sessionParams,
    answer: z.null(),
    async handle({ params }, { workbench }) {
      await workbench.close(params.session);
      return null;
    },
  }),
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/refresh',
    tag,
    role: 'runner',
    summary: 'Lists again what the server offers.',
    params: sessionParams,
    answer: workbenchSessionSchema,
    async handle({ params }, { workbench }) {
      const session = workbench.find(params.session);
      await session.refresh();
      return session.detail();
    },
  }),
  jsonRoute({
    method: 'get',
    path: '/api/mcp/sessions/{session}/activity',
    tag,
    role: 'reader',
    summary:
      'Calls, requests of the server and frames since a point in the history; waits for a change if there is none.',
    params: sessionParams,
    query: activityQuery,
    answer: activitySchema,
    handle: ({ params, query, raw }, { workbench }) =>
      workbench.find(params.session).changes(query.after, query.waitMs, raw.signal),
  }),
];

/** Logins to servers that require OAuth. */
const loginRoutes = [
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/login',
    tag,
    role: 'editor',
    summary: 'Begins a login to the server; the answer has the page that the user opens. It is kept in the keyring.',
    params: sessionParams,
    answer: workbenchSessionSchema,
    async handle({ params }, { workbench }) {
      const session = workbench.find(params.session);
      await session.logIn();
      return session.detail();
    },
  }),
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/login/answer',
    tag,
    role: 'editor',
    summary: 'Ends a login with the address that a browser on another machine ended at.',
    params: sessionParams,
    body: loginAnswerSchema,
    answer: z.null(),
    async handle({ params, body }, { workbench }) {
      workbench.find(params.session).pasteLogin(body.address);
      return null;
    },
  }),
];

/** Requests by hand, in both directions, and tests made of them. */
const callRoutes = [
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/calls',
    tag,
    role: 'runner',
    status: 201,
    summary: 'Sends a request to the server; unless it is awaited, the answer is in the activity of the session.',
    params: sessionParams,
    body: handRequestSchema,
    answer: handCallSchema,
    async handle({ params, body }, { workbench }) {
      const { call, ended } = workbench.find(params.session).send(body);
      return body.isAwaited ? ended : call;
    },
  }),
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/calls/{call}/cancel',
    tag,
    role: 'runner',
    summary: 'Cancels a request that is not answered yet.',
    params: callParams,
    answer: z.null(),
    async handle({ params }, { workbench }) {
      workbench.find(params.session).cancel(params.call);
      return null;
    },
  }),
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/requests/{request}/answer',
    tag,
    role: 'runner',
    summary: 'Answers a request of the server, such as for sampling or elicitation.',
    params: requestParams,
    body: handAnswerSchema,
    answer: z.null(),
    async handle({ params, body }, { workbench }) {
      workbench.find(params.session).answer(params.request, body);
      return null;
    },
  }),
  jsonRoute({
    method: 'get',
    path: '/api/mcp/sessions/{session}/test-places',
    tag,
    role: 'reader',
    summary: 'Files and suites that a call of the session can be added to as a test.',
    params: sessionParams,
    answer: testPlacesSchema,
    handle: ({ params }, { workbench, suiteFiles }) => testPlaces(workbench.find(params.session), suiteFiles),
  }),
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/calls/{call}/test',
    tag,
    role: 'editor',
    status: 201,
    summary: 'Adds a call with its answer to a suite, as a test.',
    params: callParams,
    body: addTestSchema,
    answer: addedTestSchema,
    handle: ({ params, body }, { workbench, suiteFiles }) =>
      addTest(workbench.find(params.session), params.call, body, suiteFiles),
  }),
];

/** Definitions of tools over time. */
const historyRoutes = [
  jsonRoute({
    method: 'get',
    path: '/api/mcp/definitions',
    tag,
    role: 'reader',
    summary: 'How the definitions of the tools of a server changed between the stored runs, and in an open session.',
    query: definitionHistoryQuery,
    answer: definitionHistorySchema,
    async handle({ query: { label, session } }, { workbench, projectCache }) {
      const open = session === undefined ? undefined : workbench.find(session);
      const current = open && currentSnapshot(open.listedTools, open.openedAt);
      const { servers } = await projectCache.mcpHistory.read();
      const history = definitionHistory(label, servers.get(label) ?? [], current);
      return open ? redactDeep(history, open.settings.redact) : history;
    },
  }),
];

/** UI resources of servers. */
const appRoutes: readonly ApiRoute[] = [
  jsonRoute({
    method: 'post',
    path: '/api/mcp/sessions/{session}/apps',
    tag,
    role: 'runner',
    status: 201,
    summary: 'Reads a UI resource of the server; its page can then be shown in a frame.',
    params: sessionParams,
    body: openAppSchema,
    answer: appDetailSchema,
    handle: ({ params, body, raw }, { workbench }) => workbench.find(params.session).openApp(body.uri, raw.signal),
  }),
  mediaRoute({
    method: 'get',
    path: '/api/mcp/sessions/{session}/apps/{app}/page',
    tag,
    role: 'reader',
    summary: 'The page of a UI resource, in a sandbox and with the policy that it declares.',
    params: sessionParams.extend({ app: z.string().max(100) }),
    answer: { mediaTypes: ['text/html'], description: 'a page of the server, which reaches only what it declares' },
    handle: async ({ params }, { workbench }) => appResponse(workbench.find(params.session).app(params.app)),
  }),
];

/** MCP servers used by hand. */
export const workbenchRoutes: readonly ApiRoute[] = [
  ...sessionRoutes,
  ...loginRoutes,
  ...callRoutes,
  ...historyRoutes,
  ...appRoutes,
];
