/** Style sheets are collected by esbuild into one file beside the script. */
declare module '*.css';
