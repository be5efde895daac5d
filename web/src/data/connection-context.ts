import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Connection, ConnectionState } from './connection.ts';

/** The watch over the server, made once when the program starts. */
export const ConnectionContext = createContext<Connection | null>(null);

/** The watch itself, for whoever hears from the server in another way than by requests. */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new Error('There is no connection around this component');
  return connection;
}

/** Whether the server is there. */
export function useConnectionState(): ConnectionState {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, connection.state);
}
