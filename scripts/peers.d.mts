export function ensurePeer(peer: 'pi'): Promise<string>;
