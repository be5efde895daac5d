import { Compass } from 'lucide-react';
import { LinkButton } from '../kit/button.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { Page } from '../kit/page.tsx';

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  return (
    <Page title="Nothing here">
      <EmptyState
        icon={<Compass size={22} />}
        title="There is no page with this address"
        action={<LinkButton to="/">To the dashboard</LinkButton>}
      />
    </Page>
  );
}
