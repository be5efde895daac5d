import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ConnectionContext } from '../data/connection.ts';
import { createDataAccess } from '../data/query-client.ts';
import { ToastArea } from '../kit/toast.tsx';
import { cspNonce } from './page-loading.ts';
import { createPages } from './router.tsx';
import { applyTheme, keptTheme } from './theme.tsx';
import './theme.css';

applyTheme(keptTheme());
const { client, connection } = createDataAccess();
const nonce = cspNonce();
const element = document.getElementById('app');
if (element === null) throw new Error('The page has no place for the program');

createRoot(element).render(
  <StrictMode>
    <CSPProvider {...(nonce === undefined ? { disableStyleElements: true } : { nonce })}>
      <ConnectionContext value={connection}>
        <QueryClientProvider client={client}>
          <ToastArea>
            <RouterProvider router={createPages(client)} />
          </ToastArea>
        </QueryClientProvider>
      </ConnectionContext>
    </CSPProvider>
  </StrictMode>,
);
