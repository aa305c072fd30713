"""The workbook: a plan of sheets and cells (cells, grid, frame, parts), settled (calculate) and written (write)."""
