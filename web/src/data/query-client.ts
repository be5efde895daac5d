import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure, api } from './api.ts';
import { type Connection, createConnection } from './connection.ts';

export interface DataAccess {
  readonly client: QueryClient;
  readonly connection: Connection;
}

/** The query client of the pages; every answer and every failure updates the connection state. */
export function createDataAccess(): DataAccess {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onSuccess: () => connection.heard(null),
      onError: (error) => connection.heard(error),
    }),
    mutationCache: new MutationCache({
      onSuccess: () => connection.heard(null),
      onError: (error) => connection.heard(error),
    }),
    defaultOptions: {
      queries: {
        // The server is on this machine or named by the user: what the browser believes of the network says nothing.
        networkMode: 'always',
        staleTime: 5_000,
        retry: isWorthRetrying,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  const connection = createConnection({
    ask: () => api.get('/status'),
    onReturn: () => void client.invalidateQueries(),
  });
  return { client, connection };
}

/** A busy store is worth a few more attempts; of a server that is away the connection keeps watch. */
function isWorthRetrying(failureCount: number, error: Error): boolean {
  return error instanceof ApiFailure && error.status === 503 && failureCount < 3;
}
