import type {
  Activity,
  AddedTest,
  AddTest,
  AppDetail,
  DefinitionHistory,
  HandAnswer,
  HandCall,
  HandRequest,
  OpenSession,
  TestPlaces,
  WorkbenchSessionDetail,
  WorkbenchSessions,
} from '../../../src/entry/server/api/workbench.ts';
import { api } from './api.ts';
import { read } from './read.ts';

/** The open sessions with MCP servers. */
export const workbenchSessionsQuery = () => read<WorkbenchSessions>(['workbench'], '/mcp/sessions');

/** One session: its server, and what that offers. */
export const workbenchSessionQuery = (id: string) =>
  read<WorkbenchSessionDetail>(['workbench', id], sessionAddress(id), {}, { retry: false });

/** Files and suites that a call of a session can be added to. */
export const testPlacesQuery = (id: string) =>
  read<TestPlaces>(['workbench', id, 'test-places'], `${sessionAddress(id)}/test-places`, {}, { staleTime: 0 });

/** How the tools of a server changed over time. */
export const definitionHistoryQuery = (label: string, session = '') =>
  read<DefinitionHistory>(
    ['mcp-definitions', label, session],
    '/mcp/definitions',
    { label, session },
    { staleTime: 0 },
  );

const waitMs = 20_000;

/** Changes of a session after a point in its history; waits for one. */
export const readActivity = (id: string, after: number, signal: AbortSignal) =>
  api.get<Activity>(`${sessionAddress(id)}/activity`, { after, waitMs: after === 0 ? 0 : waitMs }, signal);

export const openWorkbenchSession = (wanted: OpenSession) => api.post<WorkbenchSessionDetail>('/mcp/sessions', wanted);

/** Begins a login, and gives the page that the user opens. */
export const beginLogin = (id: string) => api.post<WorkbenchSessionDetail>(`${sessionAddress(id)}/login`);

/** Ends a login with the address that the browser ended at. */
export const pasteLogin = (id: string, address: string) =>
  api.post<null>(`${sessionAddress(id)}/login/answer`, { address });

/** Lists again what the server offers. */
export const refreshSession = (id: string) => api.post<WorkbenchSessionDetail>(`${sessionAddress(id)}/refresh`);

export const closeWorkbenchSession = (id: string) => api.delete<null>(sessionAddress(id));

export const sendRequest = (id: string, request: HandRequest) =>
  api.post<HandCall>(`${sessionAddress(id)}/calls`, request);

export const cancelCall = (id: string, callId: string) =>
  api.post<null>(`${sessionAddress(id)}/calls/${callId}/cancel`);

export const answerRequest = (id: string, requestId: string, answer: HandAnswer) =>
  api.post<null>(`${sessionAddress(id)}/requests/${requestId}/answer`, answer);

/** Reads a UI resource, to be shown in a frame. */
export const openApp = (id: string, uri: string) => api.post<AppDetail>(`${sessionAddress(id)}/apps`, { uri });

export const addTest = (id: string, callId: string, test: AddTest) =>
  api.post<AddedTest>(`${sessionAddress(id)}/calls/${callId}/test`, test);

/** Where a session is found in the API. */
export function sessionAddress(id: string): string {
  return `/mcp/sessions/${encodeURIComponent(id)}`;
}
