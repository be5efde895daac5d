import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyTheme, keptTheme } from '../app/theme.tsx';
import { ConnectionContext } from '../data/connection.ts';
import { createDataAccess } from '../data/query-client.ts';
import { createReportPages } from './router.tsx';
import { data } from './server.ts';
import './report.css';

applyTheme(keptTheme());
const { client, connection } = createDataAccess();
const element = document.getElementById('app');
if (element === null) throw new Error('The page has no place for the program');

createRoot(element).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <ConnectionContext value={connection}>
        <QueryClientProvider client={client}>
          <RouterProvider router={createReportPages(data)} />
        </QueryClientProvider>
      </ConnectionContext>
    </CSPProvider>
  </StrictMode>,
);
