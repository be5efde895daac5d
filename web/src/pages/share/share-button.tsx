import { Share2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from '../../kit/button.tsx';
import { useLoadedAhead } from '../../kit/use-loaded-ahead.ts';
import { useLoadedState } from '../../kit/use-loaded-state.ts';

const loadDialog = () => import('./share-dialog.tsx');
const ShareDialog = lazy(async () => ({ default: (await loadDialog()).ShareDialog }));

export interface Shared {
  /** Such as "run". */
  readonly what: string;
  /** Address of the page as one HTML file. */
  readonly fileUrl: string;
}

/** Gives what a page shows to others, as a file or as a link. */
export function ShareButton(shared: Shared) {
  const [isOpen, setIsOpen] = useLoadedState(false);
  useLoadedAhead(loadDialog);
  return (
    <>
      <Button icon={<Share2 size={14} aria-hidden />} aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        Share
      </Button>
      <Suspense>{isOpen && <ShareDialog {...shared} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
