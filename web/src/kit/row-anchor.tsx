import { type NavigateOptions, useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import type { RowLink } from './data-table.tsx';

interface RowAnchorProps {
  readonly link: RowLink;
  readonly className: string;
  readonly children: ReactNode;
}

/**
 * The link of a row. A table draws dozens at once, and the router's own links each listen to where the page is, which
 * takes most of the time in which a list appears; a row need not know.
 */
export function RowAnchor({ link, className, children }: RowAnchorProps) {
  const router = useRouter();
  const { href } = router.buildLocation(link as NavigateOptions);
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    const isForBrowser = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || isForBrowser) return;
    event.preventDefault();
    void router.navigate(link as NavigateOptions);
  };
  return (
    <a href={href} data-row-link onClick={follow} className={className}>
      {children}
    </a>
  );
}
