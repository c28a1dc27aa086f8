import { Component } from 'react';
import type { ErrorInfo, ReactNode } from 'react';
import { useErrorLog } from '@/lib/errorLog';
import { Trouble } from './Trouble';

interface Props {
  /** Where it happened, for the error log. */
  info: string;
  children: ReactNode;
}

/** One broken page or widget does not blank the rest. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    useErrorLog.getState().capture(error, `${this.props.info} ${info.componentStack?.trim().split('\n')[0] ?? ''}`);
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <Trouble error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
