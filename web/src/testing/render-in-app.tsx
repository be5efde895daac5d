import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { cleanup, configure, render } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, vi } from 'vitest';
import { ToastArea } from '../kit/toast.tsx';

// Dialogs are loaded when they open, which takes longer than the usual second on a busy machine.
configure({ asyncUtilTimeout: 30_000 });

/** A request that a component sent. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Answers requests by method and path, such as `GET /api/review`; any other request gets 404. */
export type Answers = Readonly<Record<string, unknown>>;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Renders a component as on a page of the app, with a server that gives fixed answers. */
export async function renderInApp(component: () => ReactNode, { path = '/', answers = {} as Answers } = {}) {
  const requests: SentRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: { method?: string; body?: string }) => {
    const [address = ''] = url.split('?');
    requests.push({ method, path: address, body: body === undefined ? undefined : JSON.parse(body) });
    const answer = answers[`${method} ${address}`];
    const missing = { error: 'There is no such thing.', code: 'NOT_FOUND' };
    return Response.json(answer ?? missing, { status: answer === undefined ? 404 : 200 });
  });
  const root = createRootRoute();
  const router = createRouter({
    routeTree: root.addChildren([createRoute({ getParentRoute: () => root, path, component })]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  await router.load();
  const screen = render(
    <QueryClientProvider client={client}>
      <ToastArea>
        <RouterProvider router={router as never} />
      </ToastArea>
    </QueryClientProvider>,
  );
  return { ...screen, requests, router, user: userEvent.setup() };
}
